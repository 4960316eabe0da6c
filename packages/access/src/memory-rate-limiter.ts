import type { RateLimit, RateLimiter } from './rate-limiter.ts'

/** Counts in this process alone: each process allows the whole limit. Holds one number for each key of the window. */
export function createMemoryRateLimiter({ requests, windowMs }: RateLimit, now: () => number = Date.now): RateLimiter {
  let window = 0
  const counts = new Map<string, number>()
  return {
    take(keyId) {
      const at = now()
      const current = Math.floor(at / windowMs)
      if (current !== window) {
        window = current
        counts.clear()
      }
      const count = (counts.get(keyId) ?? 0) + 1
      counts.set(keyId, count)
      return {
        isAllowed: count <= requests,
        remaining: Math.max(0, requests - count),
        resetMs: (current + 1) * windowMs - at,
      }
    },
  }
}
