import { AsyncLocalStorage } from 'node:async_hooks'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import { aNewPet } from '../new-pets.ts'
import type { HarnessCase } from '../persistence-harness.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 60_000 }

/** More than an adapter has connections, so that some calls wait for others. */
const CALLS = 48

/** Statements belong to the calls that need them. */
export const contextCases: readonly HarnessCase[] = casesOf(GROUP, {
  'contexts: reports a statement in the context of each call, also of calls that wait': async (
    harness,
  ) => {
    const context = new AsyncLocalStorage<string>()
    const reported = new Map<string | undefined, Set<string>>()
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const opened = await harness.open({
      url,
      mode: 'migrate',
      onStatement({ name }) {
        const call = context.getStore()
        reported.set(call, (reported.get(call) ?? new Set()).add(name))
        return undefined
      },
    })
    try {
      const { pets } = opened
      const { id } = await pets.add(aNewPet())
      assertTested(reported.size > 0, 'the adapter reports no statements')
      const works: readonly (() => Promise<unknown>)[] = [
        () => pets.find(id),
        () => pets.add(aNewPet()),
        () => pets.list({ limit: 1 }),
      ]
      for (const [kind, work] of works.entries()) {
        const names = Array.from({ length: CALLS }, (_, index) => `${kind} ${index}`)
        await Promise.all(names.map((name) => context.run(name, work)))
        const missing = names.filter((name) => !reported.has(name))
        expectEqual(missing, [], 'the calls in whose context no statement was reported')
      }
    } finally {
      await opened.close()
    }
  },
})
