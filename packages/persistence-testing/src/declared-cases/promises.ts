import { everyBulkCall } from '../adapter/every-bulk-call.ts'
import { everyCall, prepareCalls } from '../adapter/every-call.ts'
import { rejectedBulkCalls, rejectedCalls } from '../adapter/rejected-calls.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectPromise } from '../case/expect-promise.ts'
import { expectRejection } from '../case/expectations.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 60_000 }

/** The types say promise; an adapter in JavaScript, or on a builder of queries, may return less. */
export const promiseCases: readonly HarnessCase[] = casesOf(GROUP, {
  'promises: returns a promise from every function, which rejects where others would throw': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const opened = await harness.open({ url, mode: 'migrate' })
    try {
      await prepareCalls(opened, 'promises')
      for (const { run } of everyCall(opened, 'promises')) await run()
      await expectRejections(rejectedCalls(opened, 'promises'))
    } finally {
      await expectPromise('close', () => opened.close())
    }
    const bulk = await harness.openBulkAccess?.({ url, mode: 'migrate' })
    if (bulk === undefined) return
    try {
      const id = (await bulk.lastPetId()) + 100n
      for (const { run } of everyBulkCall(bulk, id)) await run()
      await expectRejections(rejectedBulkCalls(bulk, id))
    } finally {
      await expectPromise('bulk.close', () => bulk.close())
    }
  },
})

async function expectRejections(
  calls: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  for (const [name, call] of Object.entries(calls))
    await expectRejection(() => expectPromise(name, call), `${name} must reject`)
}
