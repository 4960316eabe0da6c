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
   * Counts one request. Each window allows exactly as many requests as the limit, per key, even when they arrive at
   * the same time.
   */
  take(keyId: string): Allowance | Promise<Allowance>
}

/** Makes a limiter for a limit. */
export type CreateRateLimiter = (limit: RateLimit) => RateLimiter
