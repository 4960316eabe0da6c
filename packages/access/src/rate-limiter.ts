/** How often one key may be used: so many requests in each window of so many milliseconds. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

/** Where one key stands in the present window. */
export interface Allowance {
  readonly isAllowed: boolean
  /** How many more requests this window allows. */
  readonly remaining: number
  /** Milliseconds until the next window begins. */
  readonly resetMs: number
}

/**
 * Counts the requests of keys against one limit.
 *
 * An adapter keeps these promises when it passes every case of `rateLimiterContract` from `@pet-store/persistence-testing`.
 */
export interface RateLimiter {
  /**
   * Counts one request. In each window exactly as many are allowed as the limit says, also when they come at the same
   * time, and for each key on its own.
   */
  take(keyId: string): Allowance | Promise<Allowance>
}

/** Makes a limiter for a limit. */
export type CreateRateLimiter = (limit: RateLimit) => RateLimiter
