import type { Persistence } from '@pet-store/persistence'
import { everyCall, failureOf, prepareCalls } from '../adapter/every-call.ts'
import { CALL_LIMIT_MS } from '../adapter/outage.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { endWithin } from '../case/time-limit.ts'
import { type HarnessCase, maxOpenings, memberOf } from '../persistence-harness.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

/** How many calls of a function may find a connection of their opening lost. */
const LOST_CALLS = 4

/** Connections are lost, and nobody says so. */
export const lostConnectionsCases: readonly HarnessCase[] = casesOf(GROUP, {
  'lost-connections: works again through new connections if the old ones no longer respond': async (
    harness,
    scale,
  ) => {
    const loseConnections = memberOf(harness, 'loseConnections')
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const first = await harness.open({ url, mode: 'migrate' })
    const opened = [first]
    try {
      const labels = Array.from({ length: LOST_CALLS + 2 }, (_, count) => `lost ${count}`)
      for (const label of labels) await prepareCalls(first, label)
      // Each function alone, in an opening of its own: another one may have ended the connection.
      const names = everyCall(first, '').map(({ name }) => name)
      const together = maxOpenings(harness, names.length)
      while (opened.length < together) opened.push(await harness.open({ url, mode: 'write' }))
      const call = (one: Persistence, index: number, label = '') => {
        const found = everyCall(one, label).find(({ name }) => name === names[index])
        return found === undefined
          ? undefined
          : endWithin(CALL_LIMIT_MS * scale, () => failureOf(found))
      }
      const [before = '', ...others] = labels
      for (const [index, one] of opened.entries()) await call(one, index, before)
      const { end } = await loseConnections(url)
      try {
        const failures = await Promise.all(
          opened.map(async (one, index) => {
            let failure: string | undefined
            for (const label of others) {
              failure = await call(one, index, label)
              if (failure === undefined) break
            }
            return failure
          }),
        )
        expectEqual(
          failures.filter((failure) => failure !== undefined),
          [],
          `calls that were rejected ${others.length} times after connections were lost`,
        )
      } finally {
        await end()
      }
    } finally {
      await Promise.allSettled(opened.map(async (one) => one.close()))
    }
  },
})
