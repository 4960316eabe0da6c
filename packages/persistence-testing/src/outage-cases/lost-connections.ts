import assert from 'node:assert/strict'
import type { Persistence } from '@pet-store/persistence'
import { everyCall, prepareCalls } from '../adapter/every-call.ts'
import { allEnded, CALL_LIMIT_MS } from '../adapter/outage.ts'
import { casesOf } from '../case/contract-case.ts'
import { causedBy } from '../case/expectations.ts'
import { endWithin } from '../case/time-limit.ts'
import { wait } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { maxOpenings } from '../harness/several-processes.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

/** How many calls of a function may find a connection of their opening lost. */
const LOST_CALLS = 4

/** More than an adapter has connections. */
const CALLS_AT_ONCE = 48

/** In this time an adapter connects again, during which its calls may reject at once. */
const RECONNECTING_MS = 1_000

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
      const nameOf = (index: number) => names[index % names.length]
      const together = maxOpenings(harness, names.length)
      while (opened.length < together) opened.push(await harness.open({ url, mode: 'write' }))
      const call = async (one: Persistence, index: number, label = ''): Promise<unknown> => {
        const found = everyCall(one, label).find(({ name }) => name === nameOf(index))
        return endWithin(CALL_LIMIT_MS * scale, async () => found?.run(), nameOf(index))
      }
      const [before = '', ...others] = labels
      for (const [index, one] of opened.entries()) await call(one, index, before)
      if (together > 1) {
        // One more has all its connections. Not each of them may cost a call its deadline.
        const full = await harness.open({ url, mode: 'write' })
        opened.push(full)
        await Promise.all(Array.from({ length: CALLS_AT_ONCE }, async () => full.pets.find(1n)))
      }
      const { end } = await loseConnections(url)
      try {
        const lost = opened.map(async (one, index) => {
          let error: unknown
          for (const label of others) {
            const rejected = await call(one, index, label).then(
              () => undefined,
              (reason: unknown) => ({ reason }),
            )
            if (rejected === undefined) return
            error = rejected.reason
            await wait(RECONNECTING_MS)
          }
          const message = `${nameOf(index)} must resolve once it has found connections lost`
          causedBy(error, () => assert.fail(`${message}, got ${String(error)}`))
        })
        await allEnded(lost)
      } finally {
        await end()
      }
    } finally {
      await Promise.allSettled(opened.map(async (one) => one.close()))
    }
  },
})
