import assert from 'node:assert/strict'
import { linesOf, withProcesses } from '../adapter/other-process/other-process.ts'
import { SETTABLE_CLOCK } from '../adapter/settable-clock.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'

const GROUP = { group: 'persistence.clock', timeLimitMs: 60_000 }

/** How far the clock of the process is from the time in which the case began, one after another. */
const OFFSETS_MS: readonly number[] = [0, -3_600_000, 7_200_000, -7_200_000]
const WINDOW_MS = 400
const POLL_MS = 20
/** A window may have begun just before the clock was set. */
const POLLS = (3 * WINDOW_MS) / POLL_MS

/** What the process prints after each jump. */
interface AfterJump {
  readonly offsetMs: number
  readonly isReplay: boolean
  /** Absent in an adapter that counts no requests. */
  readonly resets?: readonly number[]
  readonly isAllowed?: boolean
}

/** A clock is set while an adapter is open: its own one, or that of its process only. */
export const clockJumpCases: readonly HarnessCase[] = casesOf(GROUP, {
  'jumps: ends each window in time, and no key early, when the clock of its process is set':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const values = [OFFSETS_MS, WINDOW_MS, POLL_MS, POLLS].map((value) => JSON.stringify(value))
      const lines = await linesOf(start(url, SETS_ITS_CLOCK, values))
      expectEqual(lines.length, OFFSETS_MS.length, 'the number of jumps after which it worked')
      for (const line of lines) {
        const { offsetMs, isReplay, resets = [], isAllowed = true }: AfterJump = JSON.parse(line)
        const when = `when the clock was set to ${offsetMs} ms from the time`
        // Of a key that was first used at the first of these times.
        expectEqual(isReplay, offsetMs !== OFFSETS_MS[0], `isReplay within the lifetime ${when}`)
        for (const resetMs of resets)
          assert.ok(
            resetMs >= 0 && resetMs <= WINDOW_MS,
            `resetMs of a window of ${WINDOW_MS} ms must be no longer, got ${resetMs} ${when}`,
          )
        expectEqual(isAllowed, true, `isAllowed of a request within three windows ${when}`)
      }
    }),
})

/** Uses up the window of a limit, sets the clock, and sends requests until one is allowed. */
const SETS_ITS_CLOCK = `
  const [offsets, windowMs, pollMs, polls] = values.map((value) => JSON.parse(value))
  const opened = await open({ url, mode: 'migrate' })
  const key = { owner: 'shop', key: 'key', fingerprint: 'Rex' }
  const limiter = opened.createRateLimiter?.({ requests: 1, windowMs })
${SETTABLE_CLOCK}
  for (const offset of offsets) {
    await limiter?.take('key_kiosk')
    offsetMs = offset
    const { isReplay } = await opened.pets.addWithKey({ name: 'Rex', categoryId: 1n }, key)
    const resets = []
    let isAllowed
    for (let poll = 0; limiter !== undefined && !isAllowed && poll < polls; poll += 1) {
      const allowance = await limiter.take('key_kiosk')
      isAllowed = allowance.isAllowed
      resets.push(allowance.resetMs)
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
    print(JSON.stringify({ offsetMs, isReplay, ...(limiter && { resets, isAllowed }) }))
  }
  await opened.close()`
