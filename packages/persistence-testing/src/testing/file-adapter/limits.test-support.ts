import type { Allowance, RateLimit } from '@pet-store/access'
import { persistenceUnavailable } from '@pet-store/domain'
import { repeatedIfLost } from './call-limits.test-support.ts'
import { fileClock } from './clock.test-support.ts'
import type { State } from './state.test-support.ts'
import { waitInSteps } from './wait.test-support.ts'

const processCounts = new Map<string, number>()

/** Counts one request against a limit in the file, or wrongly by fault. */
export function takeOf(
  has: (fault: string) => boolean,
  isDown: () => boolean,
  call: <Result>(method: (current: State) => Promise<Result>) => Promise<Result>,
): (limit: RateLimit, keyId: string) => Promise<Allowance> {
  let first: Promise<void> | undefined
  return async ({ requests, windowMs }, keyId) => {
    if (has('keeps-a-failed-first-request')) {
      first ??= isDown() ? Promise.reject(persistenceUnavailable()) : Promise.resolve()
      await first
    }
    if (isDown() && has('hangs-in-take')) return new Promise(() => {})
    if (isDown() && has('allows-while-down')) return { isAllowed: true, remaining: 0, resetMs: 1 }
    const count = () =>
      call(async (current) => {
        const counts = has('counts-per-process') ? processCounts : current.counts
        const now = has('counts-by-its-own-clock') ? Date.now() : fileClock().getTime()
        if (has('counts-until-its-clock')) return takeUntil({ requests, windowMs }, keyId)
        const key = `${keyId} ${windowMs} ${Math.floor(now / windowMs)}`
        const number = (counts.get(key) ?? 0) + 1
        counts.set(key, number)
        const remaining = Math.max(0, requests - number)
        return { isAllowed: number <= requests, remaining, resetMs: windowMs - (now % windowMs) }
      })
    if (has('ends-windows-later'))
      return takeInTwoSteps(isDown, call, { requests, windowMs }, keyId)
    return has('repeats-lost-requests') ? repeatedIfLost(isDown, count) : count()
  }
}

/** Counts a request, and says then when the window of its key ends. */
async function takeInTwoSteps(
  isDown: () => boolean,
  call: <Result>(method: (current: State) => Promise<Result>) => Promise<Result>,
  { requests, windowMs }: RateLimit,
  keyId: string,
): Promise<Allowance> {
  const name = `${keyId} ${windowMs}`
  const now = fileClock().getTime()
  const number = await call(async ({ counts }) => {
    const isOver = now >= (counts.get(`${name} end`) ?? Number.POSITIVE_INFINITY)
    const count = (isOver ? 0 : (counts.get(name) ?? 0)) + 1
    counts.set(name, count)
    if (isOver) counts.delete(`${name} end`)
    return count
  })
  await waitInSteps(200, isDown)
  return call(async ({ counts }) => {
    if (number === 1) counts.set(`${name} end`, now + windowMs)
    const resetMs = Math.max(0, (counts.get(`${name} end`) ?? now) - now)
    return { isAllowed: number <= requests, remaining: Math.max(0, requests - number), resetMs }
  })
}

const windows = new Map<string, { readonly endMs: number; count: number }>()

/** Counts until the end of a window, however far back the clock of the process is set meanwhile. */
function takeUntil({ requests, windowMs }: RateLimit, keyId: string): Allowance {
  const now = Date.now()
  const known = windows.get(`${keyId} ${windowMs}`)
  const isOver = known === undefined || now >= known.endMs
  const window = isOver ? { endMs: now + windowMs, count: 0 } : known
  windows.set(`${keyId} ${windowMs}`, window)
  window.count += 1
  const remaining = Math.max(0, requests - window.count)
  return { isAllowed: window.count <= requests, remaining, resetMs: window.endMs - now }
}
