import assert from 'node:assert/strict'
import type { CreateRateLimiter, RateLimiter } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { aTurnLater, wait } from '../case/wait.ts'
import { inOneWindow, LONG_MS } from './long-window.ts'

/** The shortest window whose end a case waits for. */
const SHORT_MS = 200

/** In whole seconds these windows would be longer, or shorter. */
const UNEVEN_MS = [700, 1_500]

/** The time between two requests that wait for the end of a window. */
const POLL_MS = 20
/** How often a window may end while the process is paused, as on a busy machine. */
const MAX_PAUSES = 20

/** The time between two requests that must not be allowed before a window ends. */
const PAUSE_MS = 5

/** Windows so short that many of them end, and requests that wait for each other then. */
const SHORTEST_MS = 20
const LONGEST_MS = 100
const WINDOWS = 150
const EDGES_MS = 4_000
const REQUESTS = 2
const TOGETHER = 10
const BEFORE_MS = 5
const AFTER_MS = 4

/** Two clocks may run at different speeds, and are read in whole milliseconds. */
const CLOCK_MS = 3

/** Windows begin and end at their time. The clock is the adapter's own, so some cases wait. */
export const windowCases: readonly ContractCase<CreateRateLimiter>[] = casesOf('rate-limiter', {
  'reset: returns the remaining time of the window, which falls, over the limit too': inOneWindow(
    async (create) => {
      await expectResetFalls(create({ requests: 1_000, windowMs: LONG_MS }), 'key_below')
      const limiter = create({ requests: 1, windowMs: LONG_MS })
      await useUp(limiter)
      await expectResetFalls(limiter, 'key_kiosk')
    },
  ),
  'window-length: begins each window with its whole length, to the millisecond': async (create) => {
    for (const windowMs of UNEVEN_MS) {
      const limiter = create({ requests: 1, windowMs })
      let before = 0
      let hasBegun = false
      // Polls are counted, not time: a process that is not scheduled misses the beginning.
      const maxPolls = (5 * windowMs) / POLL_MS
      for (let polls = 0; !hasBegun; polls += 1) {
        assert.ok(
          polls < maxPolls,
          `resetMs must be about ${windowMs} when a window begins, but it was less all the time`,
        )
        const { resetMs } = await limiter.take('key_kiosk')
        assert.ok(
          resetMs >= 0 && resetMs <= windowMs,
          `resetMs must be from 0 to ${windowMs}, got ${resetMs}`,
        )
        hasBegun = polls > 0 && resetMs > before && resetMs > 0.8 * windowMs
        before = resetMs
        await wait(POLL_MS)
      }
    }
  },
  'long-window: counts in a window that lasts longer than 32 bits of milliseconds': inOneWindow(
    async (create) => {
      const windowMs = 30 * LONG_MS
      const limiter = create({ requests: 1, windowMs })
      const first = await limiter.take('key_kiosk')
      const second = await limiter.take('key_kiosk')
      expectEqual([first.isAllowed, second.isAllowed], [true, false], 'isAllowed in 30 days')
      const { resetMs } = second
      assert.ok(resetMs > 0 && resetMs <= windowMs, `resetMs of 30 days, got ${resetMs}`)
      const longer = create({ requests: 1, windowMs: 2 * windowMs })
      const { isAllowed } = await longer.take('key_kiosk')
      expectEqual(isAllowed, true, 'isAllowed of the first request in 60 days')
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
    // Polls are counted, not time: a process that is not scheduled misses windows.
    const maxPolls = (6 * windowMs) / PAUSE_MS
    let polls = 0
    for (let windows = 0; windows < 2; polls += 1) {
      assert.ok(polls < maxPolls, `a request must be allowed in each window of ${windowMs} ms`)
      const start = Date.now()
      const next = await limiter.take('key_kiosk')
      const isBeforeEnd = Date.now() - begun < resetMs - CLOCK_MS
      if (isBeforeEnd) expectEqual(next.isAllowed, false, 'isAllowed before the window has ended')
      if (next.isAllowed) {
        windows += 1
        begun = start
        resetMs = next.resetMs
      }
      await wait(PAUSE_MS)
    }
  },
  'window-ends: ends a window at its time, even when requests continue to arrive': async (
    create,
  ) => {
    const windowMs = await shortWindowMs(create)
    const limiter = create({ requests: 1, windowMs })
    await useUp(limiter)
    let end = Date.now() + 3 * windowMs
    let pauses = 0
    for (let isLast = false; !isLast; ) {
      isLast = Date.now() >= end
      const start = Date.now()
      await wait(POLL_MS)
      const { isAllowed } = await limiter.take('key_kiosk')
      if (!isAllowed) continue
      // After a pause of the process in which no requests arrive, it would be allowed in any case.
      if (Date.now() - start < windowMs / 2 || pauses === MAX_PAUSES) return
      pauses += 1
      end = Date.now() + 3 * windowMs
      isLast = false
    }
    assert.fail(`no request was allowed in three windows of ${windowMs} ms`)
  },
  'edges: allows no more requests when many arrive while windows end and begin': async (create) => {
    const windowMs = await windowOfSeveralCalls(create)
    const limiter = create({ requests: REQUESTS, windowMs })
    const ends: Between[] = []
    const start = performance.now()
    const takeOften = async () => {
      for (let called = start; called - start < Math.min(WINDOWS * windowMs, EDGES_MS); ) {
        called = performance.now()
        const { isAllowed, resetMs } = await limiter.take('key_kiosk')
        if (isAllowed)
          ends.push({ earliest: called + resetMs, latest: performance.now() + resetMs })
        const hasJustBegun = windowMs - resetMs < AFTER_MS
        await (hasJustBegun || resetMs < BEFORE_MS ? aTurnLater() : wait(resetMs - BEFORE_MS))
      }
    }
    await Promise.all(Array.from({ length: TOGETHER }, takeOften))
    ends.sort((one, other) => one.latest - other.latest)
    const areTooMany = ends.some((_, first) => {
      const some = ends.slice(first, first + REQUESTS + 1)
      return some.length > REQUESTS && areOfOneWindow(some, windowMs)
    })
    expectEqual(
      areTooMany,
      false,
      `whether more than ${REQUESTS} requests were allowed in one of ${WINDOWS} windows`,
    )
  },
})

/** The times between which the window of a request ends. */
interface Between {
  readonly earliest: number
  readonly latest: number
}

function areOfOneWindow(ends: readonly Between[], windowMs: number): boolean {
  const earliest = Math.min(...ends.map((end) => end.earliest))
  const latest = Math.max(...ends.map((end) => end.latest))
  return latest - earliest < windowMs - CLOCK_MS
}

/** Longer than a call takes beside others; by then the adapter has opened its connections. */
async function windowOfSeveralCalls(create: CreateRateLimiter): Promise<number> {
  const limiter = create({ requests: 1, windowMs: LONG_MS })
  let roundMs = 0
  for (let round = 0; round < 4; round += 1) {
    const start = performance.now()
    await Promise.all(Array.from({ length: TOGETHER }, async () => limiter.take('key_clock')))
    roundMs = performance.now() - start
  }
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.ceil(4 * roundMs)))
}

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

async function expectResetFalls(limiter: RateLimiter, keyId: string): Promise<void> {
  const { resetMs } = await limiter.take(keyId)
  assert.ok(
    resetMs > 0 && resetMs <= LONG_MS,
    `resetMs must be from 1 to ${LONG_MS}, got ${resetMs}`,
  )
  // Two seconds, for an adapter whose clock counts seconds.
  for (let polls = 0; polls < 2_000 / POLL_MS; polls += 1) {
    await wait(POLL_MS)
    if ((await limiter.take(keyId)).resetMs < resetMs) return
  }
  assert.fail(`resetMs must fall, but it was ${resetMs} all the time`)
}
