import type { Allowance, RateLimit } from './rate-limiter.ts'

/**
 * Counts in this process only: each process allows the whole limit. Stores one number per key and window, for at most
 * `maxKeys` keys; in a window in which more keys appear, the others are not allowed.
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
      return {
        isAllowed: count <= requests,
        remaining: Math.max(0, requests - count),
        resetMs: (current + 1) * windowMs - atMs,
      }
    },
  }
}
