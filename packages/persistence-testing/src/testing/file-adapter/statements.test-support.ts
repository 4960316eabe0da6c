import { AsyncResource } from 'node:async_hooks'
import { inspect } from 'node:util'
import type { OnStatement } from '@pet-store/persistence'

const elsewhere = new AsyncResource('elsewhere')
/** By function, the fault that reports its values. */
const TOLD: Readonly<Record<string, string>> = {
  'pets.list': 'names-each-page',
  'pets.find': 'tells-ids',
  'apiKeys.findByHash': 'tells-hashes',
  'apiKeys.revoke': 'tells-times',
}
/** How many calls are under way. */
let running = 0
/** The one that was given last, to any opening. */
let lastListener: OnStatement | undefined

/** What an opening reports its statements to; with a fault, that of the last opening. */
export function listenerOf(
  given: OnStatement | undefined,
  has: (fault: string) => boolean,
): OnStatement | undefined {
  lastListener = given
  return has('shares-a-listener') ? (...report) => lastListener?.(...report) : given
}

/** Reports a call of the file adapter as a statement; a fault reports it wrongly. */
export async function reportedCall<Result>(
  onStatement: OnStatement | undefined,
  has: (fault: string) => boolean,
  { name, args }: { readonly name: string; readonly args: readonly unknown[] },
  work: () => Promise<Result>,
): Promise<Result> {
  const named = () => {
    const tells = has('tells-values') || has(TOLD[name] ?? '')
    return tells ? `${name} ${inspect(args)}` : name
  }
  const begin = () =>
    onStatement?.(
      { name: named() },
      {
        system: has('names-no-system') ? '' : 'file',
        ...(has('never-reads-a-replica') && { host: 'primary' }),
      },
    )
  running += 1
  const losesContext = has('loses-context') || (has('loses-context-of-many') && running > 10)
  const end = losesContext ? elsewhere.runInAsyncScope(begin) : begin()
  const tellEnd = (error?: unknown) => {
    if (has('needs-ends')) (end as () => void)()
    else if (!has('never-ends-statements') || !name.endsWith('.list')) end?.(error)
  }
  try {
    const result = await work()
    tellEnd()
    return result
  } catch (error) {
    const isLost = has('never-ends-lost-statements') && Object(error).outcome === 'unknown'
    if (has('hides-failures')) tellEnd()
    else if (!isLost && !has('never-ends-failures')) tellEnd(error)
    throw error
  } finally {
    running -= 1
  }
}
