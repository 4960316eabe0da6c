import { AsyncLocalStorage } from 'node:async_hooks'
import { type Call, everyCall, prepareCalls } from '../adapter/every-call.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import type { HarnessCase } from '../persistence-harness.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 60_000 }

/** More than an adapter has connections, so that some calls wait for others. */
const CALLS = 48
/** Of functions whose calls cost more. */
const FEWER_CALLS = 16

/** Statements belong to the calls that need them. */
export const contextCases: readonly HarnessCase[] = casesOf(GROUP, {
  'contexts: reports a statement in the context of each call, also of calls that wait': async (
    harness,
  ) => {
    const context = new AsyncLocalStorage<number>()
    const reported = new Set<number | undefined>()
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const opened = await harness.open({
      url,
      mode: 'migrate',
      onStatement() {
        reported.add(context.getStore())
        return undefined
      },
    })
    /** Runs calls at the same time, and returns those in whose context no statement is reported. */
    const unreported = async (calls: readonly Call[]) => {
      reported.clear()
      await Promise.all(calls.map(({ run }, index) => context.run(index, run)))
      return calls.filter((_, index) => !reported.has(index)).map(({ name }) => name)
    }
    try {
      const labels = Array.from({ length: CALLS }, (_, index) => `call ${index}`)
      const changed = ['alone', ...labels.slice(0, FEWER_CALLS)]
      await Promise.all(changed.map((label) => prepareCalls(opened, label)))
      const byLabel = labels.map((label) => everyCall(opened, label))
      for (const [index, alone] of everyCall(opened, 'alone').entries()) {
        const isReported = (await unreported([alone])).length === 0
        if (index === 0) assertTested(reported.size > 0, 'the adapter reports no statements')
        const isOfPets = alone.name.startsWith('pets.')
        // An adapter may answer other calls without a statement.
        if (!isReported && !isOfPets) continue
        const count = isOfPets ? CALLS : FEWER_CALLS
        const calls = byLabel.slice(0, count).map((all) => all[index] as Call)
        const what = `the calls of ${alone.name} in whose context no statement was reported`
        expectEqual(await unreported(calls), [], what)
      }
    } finally {
      await opened.close()
    }
  },
})
