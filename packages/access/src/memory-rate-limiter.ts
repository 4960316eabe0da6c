import { type Allowance, allowanceOf, type RateLimit } from './rate-limiter.ts'

/**
 * Counts in this process only: each process allows the whole limit. Stores one number for each key
 * that sends requests in the current window, and for at most `maxKeys` keys (default: no maximum).
 * Requests of further keys are not allowed in that window.
 */
export function createMemoryRateLimiter(
  { requests, windowMs }: RateLimit,
  nowMs: () => number = Date.now,
  maxKeys: number = Number.POSITIVE_INFINITY,
): { take(keyId: string): Allowance } {
  let window = 0
  const counts = new Map<string, number>()
  return {
    take(keyId) {
      const atMs = nowMs()
      const current = Math.floor(atMs / windowMs)
      if (current !== window) {
        window = current
        counts.clear()
      }
      const count = (counts.get(keyId) ?? (counts.size < maxKeys ? 0 : requests)) + 1
      if (count <= requests) counts.set(keyId, count)
      return allowanceOf(count, requests, (current + 1) * windowMs - atMs)
    },
  }
}
