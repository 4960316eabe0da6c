import assert from 'node:assert/strict'
import { aRandomMoment, interrupted } from '../adapter/outage.ts'
import { untilAvailable } from '../adapter/until-available.ts'
import { rateLimiterOf } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { LONG_MS } from '../rate-limiter-cases/long-window.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

const ROUNDS = 3
const TAKERS = 8
/** More than all rounds take. */
const REQUESTS = 1_000_000
/** Between two requests: a limiter may count at once. */
const PAUSE_MS = 2
/** Short, so that an adapter that tries again finds the database again. */
const OUTAGE_MS = 50
/** In this time an adapter may repeat what it does not know. */
const REPEATED_WITHIN_MS = 1_000

/** A request that an outage finds is counted once at most. */
export const limitsOnceCases: readonly HarnessCase[] = casesOf(GROUP, {
  'limits-once: counts no request twice that an interruption finds': interrupted(
    async ({ persistence, interrupt }) => {
      const limiter = rateLimiterOf(persistence)({ requests: REQUESTS, windowMs: LONG_MS })
      // Those that were counted before, and all calls since.
      let calls = 0
      const take = async () => {
        calls += 1
        return limiter.take('key_a')
      }
      await take()
      for (let round = 0; round < ROUNDS; round += 1) {
        const hasEnded = { value: false }
        const taking = Array.from({ length: TAKERS }, async () => {
          while (!hasEnded.value) {
            const allowance = await take().catch(() => undefined)
            // What is rejected may not be counted, and would hide one that is counted twice.
            if (allowance === undefined) return
            await wait(PAUSE_MS)
          }
        }).map(awaitedLater)
        await aRandomMoment(20, 80)
        const { end } = await interrupt().finally(() => {
          hasEnded.value = true
        })
        await wait(OUTAGE_MS)
        await end()
        await Promise.all(taking)
        await wait(REPEATED_WITHIN_MS)
        // Its requests are another key's, so that none that is rejected counts here.
        await untilAvailable(async () => limiter.take('key_b'))
        // A new window may have begun: then more requests are left.
        const { remaining } = await untilAvailable(take)
        const counted = REQUESTS - remaining
        assert.ok(
          counted <= calls,
          `at most ${calls} requests must be counted, as many as were made, and ` +
            `${counted} were counted`,
        )
        calls = counted
      }
    },
  ),
})
