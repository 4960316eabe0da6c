import assert from 'node:assert/strict'
import { aRandomMoment, interrupted } from '../adapter/outage.ts'
import { untilAvailable } from '../adapter/until-available.ts'
import { rateLimiterOf } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { LONG_MS } from '../rate-limiter-cases/long-window.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

const ROUNDS = 3
const TAKERS = 8
/** Of a limit that allows one request: each is the first one of its key. */
const SHORT_MS = 500
/** More than all rounds take. */
const REQUESTS = 1_000_000
/** Between two requests: a limiter may count at once. */
const PAUSE_MS = 2
/** Short, so that an adapter that tries again finds the database again. */
const OUTAGE_MS = 50
/** In this time an adapter may repeat what it does not know, and a short window ends. */
const REPEATED_WITHIN_MS = 1_000

/** A request that an outage finds is counted once at most, in a window that ends. */
export const limitsOnceCases: readonly HarnessCase[] = casesOf(GROUP, {
  'limits-once: counts no request twice that an interruption finds, and ends its window':
    interrupted(async ({ persistence, interrupt }) => {
      const create = rateLimiterOf(persistence)
      const limiter = create({ requests: REQUESTS, windowMs: LONG_MS })
      const short = create({ requests: 1, windowMs: SHORT_MS })
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
        const beginning = Array.from({ length: TAKERS }, async (_, taker) => {
          for (let count = 0; !hasEnded.value; count += 1) {
            const key = `${round} ${taker} ${count}`
            const allowance = await Promise.resolve(short.take(key)).catch(() => undefined)
            if (allowance === undefined) return [key]
            await wait(PAUSE_MS)
          }
          return []
        }).map(awaitedLater)
        await aRandomMoment(20, 80)
        const { end } = await interrupt().finally(() => {
          hasEnded.value = true
        })
        await wait(OUTAGE_MS)
        await end()
        await Promise.all(taking)
        const found = (await Promise.all(beginning)).flat()
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
        const next = await Promise.allSettled(found.map(async (key) => short.take(key)))
        const isDenied = (_: string, index: number) => {
          const result = next[index]
          return result?.status === 'fulfilled' && !result.value.isAllowed
        }
        expectEqual(
          found.filter(isDenied),
          [],
          'the keys whose first request an interruption found, and whose window has not ended',
        )
      }
    }),
})
