import { createMemoryRateLimiter } from './memory-rate-limiter.ts'

/** How many keys that were not valid a moment ago one address may try. */
const ATTEMPTS = { requests: 20, windowMs: 1000 }
/** Once so many addresses have tried keys in one window, others may try none until the next. */
const MAX_ADDRESSES = 10_000
const REPORTS = { requests: 1, windowMs: 60_000 }

/**
 * Limits how many keys the clients of one address can guess. The returned function counts one
 * attempt and says whether it is allowed. `onLimit` is called with an address that has reached the
 * limit, at most once a minute.
 */
export function createLookUpLimit(
  onLimit: (address: string) => void,
): (address: string) => boolean {
  const attempts = createMemoryRateLimiter(ATTEMPTS, () => performance.now(), MAX_ADDRESSES)
  const reports = createMemoryRateLimiter(REPORTS, () => performance.now())
  return (address) => {
    const { isAllowed } = attempts.take(address)
    if (!isAllowed && reports.take('').isAllowed) onLimit(address)
    return isAllowed
  }
}
