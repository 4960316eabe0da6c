import type { Persistence, PoolUse } from '@pet-store/persistence'
import { everyCall, prepareCalls } from '../adapter/every-call.ts'
import { expectWorksAgain } from '../adapter/expect-works.ts'
import { CALL_LIMIT_MS } from '../adapter/outage.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import { endWithin } from '../case/time-limit.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 120_000 }
const ROUNDS = 3
const POLL_MS = 50
/** What an adapter does in the background ends in this time. */
const MAX_POLLS = 200

/** What `poolUse` says of connections. */
export const poolCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pools: counts no connection as busy, and no statement as waiting, when every call has ended':
    async (harness, scale) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, async (opened) => {
        assertTested(opened.poolUse, 'the adapter has no pools')
        await prepareCalls(opened, 'pools')
        const calls = everyCall(opened, 'pools')
        const callAll = async () => {
          const running = calls.map(({ run }) => endWithin(CALL_LIMIT_MS * scale, run))
          // An adapter may count when it is asked.
          opened.poolUse?.()
          await Promise.allSettled(running)
        }
        // What was added before is rejected the next time.
        for (let round = 0; round < ROUNDS; round += 1) await callAll()
        await expectIdle(opened, 'after calls that were rejected')
        if (harness.interrupt === undefined) return
        const { end } = await harness.interrupt(url)
        try {
          await callAll()
        } finally {
          await end()
        }
        await expectWorksAgain(opened, 'afterwards')
        await expectIdle(opened, 'after an outage')
      })
    },
})

async function expectIdle(opened: Persistence, when: string): Promise<void> {
  let used: readonly PoolUse[] = []
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    used = (opened.poolUse?.() ?? []).filter(({ busy, waiting }) => busy + waiting > 0)
    if (used.length === 0) return
    await wait(POLL_MS)
  }
  expectEqual(used, [], `the pools that are in use ${when}, when every call has ended`)
}
