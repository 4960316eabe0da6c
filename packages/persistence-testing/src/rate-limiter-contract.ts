import assert from 'node:assert/strict'
import type { CreateRateLimiter, RateLimiter } from '@pet-store/access'
import type { ContractCase } from './contract-case.ts'

const LONG_MS = 3_600_000
const ENOUGH_MS = 5_000
const SHORT_MS = 200

/** Every promise of `RateLimiter`, for whoever makes one. The clock is the adapter's own, so one case waits a moment. */
export const rateLimiterContract: readonly ContractCase<CreateRateLimiter>[] = [
  {
    name: 'allows exactly as many as the limit in a window',
    run: inOneWindow(async (create) => {
      const limiter = create({ requests: 3, windowMs: LONG_MS })
      const taken = []
      for (let count = 0; count < 5; count += 1) taken.push(await limiter.take('key_kiosk'))
      assert.deepEqual(
        taken.map(({ isAllowed }) => isAllowed),
        [true, true, true, false, false],
      )
      assert.deepEqual(
        taken.map(({ remaining }) => remaining),
        [2, 1, 0, 0, 0],
      )
    }),
  },
  {
    name: 'says how long the window still lasts',
    async run(create) {
      const { resetMs } = await create({ requests: 1, windowMs: LONG_MS }).take('key_kiosk')
      assert.ok(resetMs > 0 && resetMs <= LONG_MS, `${resetMs} is within the window`)
    },
  },
  {
    name: 'counts each key on its own',
    run: inOneWindow(async (create) => {
      const limiter = create({ requests: 1, windowMs: LONG_MS })
      for (const key of ['key_kiosk', 'key_shop', '__proto__']) {
        assert.equal((await limiter.take(key)).isAllowed, true)
        assert.equal((await limiter.take(key)).isAllowed, false)
      }
    }),
  },
  {
    name: 'allows no more when many come at the same time',
    run: inOneWindow(async (create) => {
      const limiter = create({ requests: 10, windowMs: LONG_MS })
      const taken = await Promise.all(Array.from({ length: 30 }, async () => limiter.take('key_kiosk')))
      assert.equal(taken.filter(({ isAllowed }) => isAllowed).length, 10)
    }),
  },
  {
    name: 'begins anew with each window',
    async run(create) {
      const limiter = create({ requests: 1, windowMs: SHORT_MS })
      await useUp(limiter)
      const { resetMs } = await useUp(limiter)
      // A little longer, since clocks are read in whole milliseconds.
      await new Promise((resolve) => setTimeout(resolve, resetMs + 5))
      assert.equal((await limiter.take('key_kiosk')).isAllowed, true)
    },
  },
]

async function useUp(limiter: RateLimiter): Promise<{ readonly resetMs: number }> {
  for (;;) {
    const allowance = await limiter.take('key_kiosk')
    if (!allowance.isAllowed) return allowance
  }
}

/** Runs a case at a time at which no window of the long kind is about to end. */
function inOneWindow(run: ContractCase<CreateRateLimiter>['run']): ContractCase<CreateRateLimiter>['run'] {
  return async (create) => {
    const { resetMs } = await create({ requests: 1, windowMs: LONG_MS }).take('key_clock')
    if (resetMs < ENOUGH_MS) await new Promise((resolve) => setTimeout(resolve, resetMs + 5))
    await run(create)
  }
}
