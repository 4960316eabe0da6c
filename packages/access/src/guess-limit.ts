import { createMemoryRateLimiter } from './rate-limiter.ts'

/** How many keys that were not valid a moment ago one client network may try. */
const ATTEMPTS = { requests: 20, windowMs: 1000 }
/** In one window. Beyond them, no further network may try a key until the next window. */
const MAX_NETWORKS = 10_000
const REPORTS = { requests: 1, windowMs: 60_000 }

/**
 * Limits guessing: returns what says whether the client of an address may try one more key, which
 * is counted. `onLimit` is called once a minute at most.
 */
export function createGuessLimit(onLimit: (address: string) => void): (address: string) => boolean {
  const attempts = createMemoryRateLimiter(ATTEMPTS, () => performance.now(), MAX_NETWORKS)
  const reports = createMemoryRateLimiter(REPORTS, () => performance.now())
  return (address) => {
    const { isAllowed } = attempts.take(address)
    if (!isAllowed && reports.take('').isAllowed) onLimit(address)
    return isAllowed
  }
}
