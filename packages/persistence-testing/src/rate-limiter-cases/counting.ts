import type { CreateRateLimiter } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { inOneWindow, LONG_MS } from './long-window.ts'

/** A key may send exactly as many requests in a window as the limit says. */
export const countingCases: readonly ContractCase<CreateRateLimiter>[] = casesOf('rate-limiter', {
  'exact: allows exactly as many requests as the limit in a window': inOneWindow(async (create) => {
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
  'per-limit: allows the number of each limit, even of limits with equal windows': inOneWindow(
    async (create) => {
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
      // Of one key: they may share their counts, and each compares the count with its own limit.
      const [low, high] = [1, 9].map((requests) => create({ requests, windowMs: LONG_MS }))
      const allowed: unknown[] = []
      for (const limiter of [low, low, high, low, high])
        allowed.push((await limiter?.take('key_both'))?.isAllowed)
      expectEqual(
        allowed,
        [true, false, true, false, true],
        'isAllowed of requests of one key with the limits 1, 1, 9, 1 and 9',
      )
      // A count that one limit holds back would let the other one allow requests again and again.
      let allowedInTurns = 0
      for (let turn = 0; turn < 12; turn += 1) {
        if ((await high?.take('key_turns'))?.isAllowed) allowedInTurns += 1
        await low?.take('key_turns')
      }
      expectEqual(
        allowedInTurns <= 9,
        true,
        'whether a limit of 9 allows at most 9 of 12 requests, in turns with a limit of 1',
      )
    },
  ),
  'every-limit: allows as many requests as the limit says, of few and of hundreds': inOneWindow(
    async (create) => {
      for (const requests of [2, 16, 50, 100, 257]) {
        const limiter = create({ requests, windowMs: LONG_MS })
        const taken = await inGroups(requests + 1, async () => limiter.take(`key_${requests}`), 50)
        const allowed = taken.filter(({ isAllowed }) => isAllowed)
        const left = allowed.map(({ remaining }) => remaining).sort((one, other) => one - other)
        expectEqual(
          left,
          Array.from({ length: requests }, (_, index) => index),
          `remaining of those of ${requests + 1} requests that a limit of ${requests} allows`,
        )
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
})
