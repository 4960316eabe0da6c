/** How many requests one key may send in each window of time. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

/** The state of one key in the current window. */
export interface Allowance {
  readonly isAllowed: boolean
  /** The number of requests that are still allowed in this window. */
  readonly remaining: number
  /** The time until the next window begins. */
  readonly resetMs: number
}

/**
 * Counts the requests of keys against one limit.
 *
 * An adapter fulfils this contract when it passes every case of `rateLimiterContract` from
 * `@pet-store/persistence-testing`.
 */
export interface RateLimiter {
  /**
   * Counts one request. In each window a key may send exactly as many requests as the limit says,
   * even when they arrive at the same time, and however many other keys there are. Ids of keys are
   * compared exactly. Limiters whose windows have the same length, in milliseconds, may share their
   * counts; each compares the count with its own limit. No window is longer because the clock of
   * this machine is set.
   *
   * While the database is unavailable it rejects within a few seconds, with an error whose `code`
   * is `persistence_unavailable`.
   */
  take(keyId: string): Allowance | Promise<Allowance>
}

/** Makes a limiter for a limit. */
export type CreateRateLimiter = (limit: RateLimit) => RateLimiter

/**
 * The allowance of a request that is number `count` of its key in the window. `resetMs` is the time
 * until the next window begins.
 */
export function allowanceOf(count: number, requests: number, resetMs: number): Allowance {
  return { isAllowed: count <= requests, remaining: Math.max(0, requests - count), resetMs }
}
