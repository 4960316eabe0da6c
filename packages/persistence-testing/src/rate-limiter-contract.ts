import assert from 'node:assert/strict'
import type { CreateRateLimiter } from '@pet-store/access'
import { type ContractCase, casesOf, expectEqual } from './contract-case.ts'

const LONG_MS = 3_600_000
const ENOUGH_MS = 5_000
const SHORT_MS = 200

/** The contract of `RateLimiter`. The clock is the adapter's own, so one case waits a moment. */
export const rateLimiterContract: readonly ContractCase<CreateRateLimiter>[] = casesOf('rate-limiter', [
  {
    id: 'exact',
    name: 'allows exactly as many requests as the limit in a window',
    run: inOneWindow(async (create) => {
      const limiter = create({ requests: 3, windowMs: LONG_MS })
      const taken = []
      for (let count = 0; count < 5; count += 1) taken.push(await limiter.take('key_kiosk'))
      expectEqual(
        taken.map(({ isAllowed, remaining }) => [isAllowed, remaining]),
        [
          [true, 2],
          [true, 1],
          [true, 0],
          [false, 0],
          [false, 0],
        ],
        'isAllowed and remaining of 5 requests with a limit of 3',
      )
    }),
  },
  {
    id: 'reset',
    name: 'returns the remaining time of the window',
    async run(create) {
      const { resetMs } = await create({ requests: 1, windowMs: LONG_MS }).take('key_kiosk')
      assert.ok(resetMs > 0 && resetMs <= LONG_MS, `resetMs must be from 1 to ${LONG_MS}, got ${resetMs}`)
    },
  },
  {
    id: 'per-key',
    name: 'counts each key separately',
    run: inOneWindow(async (create) => {
      const limiter = create({ requests: 1, windowMs: LONG_MS })
      for (const key of ['key_kiosk', 'key_shop', '__proto__']) {
        expectEqual((await limiter.take(key)).isAllowed, true, `the first request of ${key} must be allowed`)
        expectEqual((await limiter.take(key)).isAllowed, false, `the second request of ${key} must not be allowed`)
      }
    }),
  },
  {
    id: 'concurrent',
    name: 'allows no more requests when they arrive at the same time',
    run: inOneWindow(async (create) => {
      const limiter = create({ requests: 10, windowMs: LONG_MS })
      const taken = await Promise.all(Array.from({ length: 30 }, async () => limiter.take('key_kiosk')))
      expectEqual(taken.filter(({ isAllowed }) => isAllowed).length, 10, 'the number of 30 requests that are allowed')
    }),
  },
  {
    id: 'next-window',
    name: 'starts again with each window',
    async run(create) {
      const limiter = create({ requests: 1, windowMs: SHORT_MS })
      await useUp()
      const resetMs = await useUp()
      // A little longer, since clocks are read in whole milliseconds.
      await new Promise((resolve) => setTimeout(resolve, resetMs + 5))
      expectEqual(
        (await limiter.take('key_kiosk')).isAllowed,
        true,
        'the first request of a new window must be allowed',
      )

      /** The second request of a window is not allowed; a few more are tried because a window can end between two. */
      async function useUp(): Promise<number> {
        for (let count = 0; count < 10; count += 1) {
          const allowance = await limiter.take('key_kiosk')
          if (!allowance.isAllowed) return allowance.resetMs
        }
        return assert.fail('10 requests in a row were allowed with a limit of 1')
      }
    },
  },
])

/** Runs a case at a time at which no long window is about to end. */
function inOneWindow(run: (create: CreateRateLimiter) => Promise<void>): (create: CreateRateLimiter) => Promise<void> {
  return async (create) => {
    await untilNoWindowEnds(create)
    await run(create)
  }
}

/** Waits if a window of an hour is about to end. */
export async function untilNoWindowEnds(create: CreateRateLimiter): Promise<void> {
  const { resetMs } = await create({ requests: 1, windowMs: LONG_MS }).take('key_clock')
  if (resetMs < ENOUGH_MS) await new Promise((resolve) => setTimeout(resolve, Math.min(resetMs, ENOUGH_MS) + 5))
}
