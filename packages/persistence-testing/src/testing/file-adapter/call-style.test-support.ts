import { persistenceUnavailable } from '@pet-store/domain'
import { untilUp } from './call-limits.test-support.ts'
import { waitInSteps } from './wait.test-support.ts'

/** A call of the file adapter. */
interface FileCall {
  readonly has: (fault: string) => boolean
  readonly isDown: () => boolean
  readonly name: string
  readonly args: readonly unknown[]
}

/** What the caller gets; a fault returns something else. */
export function asReturned(
  { has, isDown, name, args }: FileCall,
  call: () => Promise<unknown>,
): unknown {
  if (has('throws-itself') && Object(args.at(-1)).aborted) throw persistenceUnavailable()
  const isAcknowledged = name.startsWith('apiKeys.') && has('acknowledges-keys-while-down')
  if (isAcknowledged && isDown()) return Promise.resolve(true)
  if (has('denies-revocations') && name === 'apiKeys.revoke') return denied(isDown, call)
  if (has('denies-uses') && name === 'apiKeys.markUsed') return denied(isDown, call)
  const isConnecting = has('connects-for-cancelled-adds') && name === 'pets.add' && isDown()
  const result = isConnecting ? untilUp(isDown).then(call) : call()
  const isQuery = has('returns-queries') && name === 'apiKeys.list'
  return isQuery ? Object.defineProperty({}, 'then', { value: result.then.bind(result) }) : result
}

/** Says `not_stored` of what it has stored if an outage has come before its reply. */
async function denied(isDown: () => boolean, call: () => Promise<unknown>): Promise<unknown> {
  const result = await call()
  await waitInSteps(200, isDown)
  if (isDown()) throw persistenceUnavailable()
  return result
}
