import assert from 'node:assert/strict'
import type { CreateRateLimiter, RateLimiter } from '@pet-store/access'
import { type ContractCase, casesOf } from './case/contract-case.ts'
import { expectEqual } from './case/expectations.ts'
import { inGroups } from './case/in-groups.ts'
import { wait } from './case/wait.ts'

const LONG_MS = 3_600_000
const ENOUGH_MS = 5_000
const SHORT_MS = 200
const POLL_MS = 20
/** Two clocks may run at different speeds, and are read in whole milliseconds. */
const CLOCK_MS = 3
const KEY_IDS = [
  ...['key_kiosk', 'key_shop', 'KEY_KIOSK', 'key_kiosk ', 'key_', 'key_%'],
  // Every JavaScript object has these.
  ...['constructor', '__proto__', 'toString'],
  // Addresses are counted too.
  ...[
    '2001:db8::1',
    '2001:db8::2',
    '2001:db8::',
    ...['1', '2'].map((end) => `key_${'k'.repeat(90)}${end}`),
    ...['Zo\u00EB', 'Zoe\u0308', 'Zoe', 'key_1:3600000', 'key_1', 'key_1:'],
  ],
]

/** Joined without a separator, two of these are the same text. */
const ALIKE = [
  ['key_1', LONG_MS],
  ['key_', Number(`1${LONG_MS}`)],
  ['0key_1', LONG_MS],
  ['key_1', 10 * LONG_MS],
] as const

/** The contract of `RateLimiter`. The clock is the adapter's own, so some cases wait a moment. */
export const rateLimiterContract: readonly ContractCase<CreateRateLimiter>[] = casesOf(
  'rate-limiter',
  {
    'exact: allows exactly as many requests as the limit in a window': inOneWindow(
      async (create) => {
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
      },
    ),
    'reset: returns the remaining time of the window, which falls': inOneWindow(async (create) => {
      const limiter = create({ requests: 1, windowMs: LONG_MS })
      const { resetMs } = await limiter.take('key_kiosk')
      assert.ok(
        resetMs > 0 && resetMs <= LONG_MS,
        `resetMs must be from 1 to ${LONG_MS}, got ${resetMs}`,
      )
      // Two seconds, for an adapter whose clock counts seconds.
      for (let polls = 0; polls < 2_000 / POLL_MS; polls += 1) {
        await wait(POLL_MS)
        if ((await limiter.take('key_kiosk')).resetMs < resetMs) return
      }
      assert.fail(`resetMs must fall, but it was ${resetMs} all the time`)
    }),
    'per-key: counts each key separately': inOneWindow(async (create) => {
      const limiter = create({ requests: 1, windowMs: LONG_MS })
      for (const key of KEY_IDS) {
        expectEqual(
          (await limiter.take(key)).isAllowed,
          true,
          `the first request of ${key} must be allowed`,
        )
        expectEqual(
          (await limiter.take(key)).isAllowed,
          false,
          `the second request of ${key} must not be allowed`,
        )
      }
      await inGroups(300, async (index) => limiter.take(`key_${index}`))
      expectEqual(
        (await limiter.take('key_kiosk')).isAllowed,
        false,
        'the first key must not be allowed after 300 others',
      )
    }),
    'per-limit: allows the number of each limit, also of limits with windows of one length':
      inOneWindow(async (create) => {
        for (const [index, requests] of [3, 5, 1, 4].entries()) {
          const limiter = create({ requests, windowMs: LONG_MS })
          const remaining: number[] = []
          for (let count = 0; count <= requests; count += 1) {
            const allowance = await limiter.take(`key_${index}`)
            expectEqual(
              allowance.isAllowed,
              count < requests,
              `isAllowed of the request ${count + 1} with a limit of ${requests}`,
            )
            remaining.push(allowance.remaining)
          }
          const expected = Array.from({ length: requests }, (_, left) => requests - 1 - left)
          expectEqual(remaining, [...expected, 0], `remaining with a limit of ${requests}`)
        }
      }),
    'per-window: counts for limits with different windows separately': inOneWindow(
      async (create) => {
        const limiters = [LONG_MS, 24 * LONG_MS].map((windowMs) =>
          create({ requests: 3, windowMs }),
        )
        for (const expected of [2, 1, 0]) {
          for (const limiter of limiters) {
            expectEqual(
              (await limiter.take('key_kiosk')).remaining,
              expected,
              'remaining of one of two limits',
            )
          }
        }
        const alike = ALIKE.map(([keyId, windowMs]) => {
          const limiter = create({ requests: 3, windowMs })
          return { name: `${keyId} in ${windowMs} ms`, take: async () => limiter.take(keyId) }
        })
        for (const expected of [2, 1]) {
          for (const { name, take } of alike)
            expectEqual((await take()).remaining, expected, `remaining of ${name}`)
        }
      },
    ),
    'concurrent: allows no more requests when they arrive at the same time': inOneWindow(
      async (create) => {
        const limiter = create({ requests: 10, windowMs: LONG_MS })
        const taken = await Promise.all(
          Array.from({ length: 30 }, async () => limiter.take('key_kiosk')),
        )
        expectEqual(
          taken.filter(({ isAllowed }) => isAllowed).length,
          10,
          'the number of 30 requests that are allowed',
        )
      },
    ),
    'concurrent-keys: counts requests of several keys that arrive at the same time for their own':
      inOneWindow(async (create) => {
        const limiter = create({ requests: 4, windowMs: LONG_MS })
        const keys = ['key_a', 'key_b', 'key_c']
        for (const [index, key] of keys.entries())
          for (let count = 0; count < 2 * index; count += 1) await limiter.take(key)
        const arrived = [...keys, ...keys]
        const taken = await Promise.all(arrived.map(async (key) => limiter.take(key)))
        for (const [key, expected] of [
          ['key_a', [3, 2]],
          ['key_b', [1, 0]],
          ['key_c', [0, 0]],
        ] as const) {
          const own = taken.filter((_, index) => arrived[index] === key)
          const remaining = own.map((one) => one.remaining).toSorted()
          expectEqual(remaining, expected.toSorted(), `remaining of two requests of ${key}`)
          const isAllowed = key !== 'key_c'
          for (const one of own) expectEqual(one.isAllowed, isAllowed, `isAllowed of ${key}`)
        }
      }),
    'long-window: counts in a window that lasts longer than 32 bits of milliseconds': inOneWindow(
      async (create) => {
        const windowMs = 30 * 24 * LONG_MS
        const limiter = create({ requests: 1, windowMs })
        const first = await limiter.take('key_kiosk')
        const second = await limiter.take('key_kiosk')
        expectEqual([first.isAllowed, second.isAllowed], [true, false], 'isAllowed in 30 days')
        const { resetMs } = second
        assert.ok(resetMs > 0 && resetMs <= windowMs, `resetMs of 30 days, got ${resetMs}`)
      },
    ),
    'next-window: starts again with each window': async (create) => {
      const limiter = create({ requests: 1, windowMs: await shortWindowMs(create) })
      await useUp(limiter)
      const resetMs = await useUp(limiter)
      // A little longer, since clocks are read in whole milliseconds.
      await wait(resetMs + 5)
      expectEqual(
        (await limiter.take('key_kiosk')).isAllowed,
        true,
        'the first request of a new window must be allowed',
      )
    },
    'whole-window: allows no more requests until a window has ended': async (create) => {
      const windowMs = 2 * (await shortWindowMs(create))
      const limiter = create({ requests: 1, windowMs })
      // It ends this time after the call began, or later.
      let begun = Date.now()
      let resetMs = await useUp(limiter)
      for (let windows = 0; windows < 2; ) {
        const start = Date.now()
        const next = await limiter.take('key_kiosk')
        const isBeforeEnd = Date.now() - begun < resetMs - CLOCK_MS
        if (isBeforeEnd) expectEqual(next.isAllowed, false, 'isAllowed before the window has ended')
        if (next.isAllowed) {
          windows += 1
          begun = start
          resetMs = next.resetMs
        }
        await wait(POLL_MS / 4)
      }
    },
    'window-ends: ends a window at its time, even when requests continue to arrive': async (
      create,
    ) => {
      const windowMs = await shortWindowMs(create)
      const limiter = create({ requests: 1, windowMs })
      await useUp(limiter)
      const end = Date.now() + 3 * windowMs
      for (let isLast = false; !isLast; ) {
        isLast = Date.now() >= end
        await wait(POLL_MS)
        if ((await limiter.take('key_kiosk')).isAllowed) return
      }
      assert.fail(`no request was allowed in three windows of ${windowMs} ms`)
    },
  },
)

/** Long enough for several calls, however slow they are. */
async function shortWindowMs(create: CreateRateLimiter): Promise<number> {
  const start = Date.now()
  await create({ requests: 1, windowMs: LONG_MS }).take('key_clock')
  return Math.max(SHORT_MS, 10 * (Date.now() - start))
}

/**
 * The second request of a window is not allowed; a few more are tried because a window can end
 * between two.
 */
async function useUp(limiter: RateLimiter): Promise<number> {
  for (let count = 0; count < 10; count += 1) {
    const allowance = await limiter.take('key_kiosk')
    if (!allowance.isAllowed) return allowance.resetMs
  }
  return assert.fail('10 requests in a row were allowed with a limit of 1')
}

/** Runs a case at a time at which no long window is about to end. */
function inOneWindow(
  run: (create: CreateRateLimiter) => Promise<void>,
): (create: CreateRateLimiter) => Promise<void> {
  return async (create) => {
    await untilNoWindowEnds(create)
    await run(create)
  }
}

/** Waits if a window of an hour is about to end. */
export async function untilNoWindowEnds(create: CreateRateLimiter): Promise<void> {
  const { resetMs } = await create({ requests: 1, windowMs: LONG_MS }).take('key_clock')
  if (resetMs < ENOUGH_MS) await wait(Math.min(resetMs, ENOUGH_MS) + 5)
}
