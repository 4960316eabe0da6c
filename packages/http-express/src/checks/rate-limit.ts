import type { Allowance, RateLimit, RateLimiter } from '@pet-store/access'
import type { Check } from '../request/handler.ts'
import type { HandlerResponse } from '../response/context.ts'
import { HttpError } from '../response/http-error.ts'
import { addHeader } from '../response/response.ts'
import { retryAfter, wholeSeconds } from '../response/retry-after.ts'
import { verifiedKeyOf } from './api-key.ts'

/** The limit for the requests of each key, and the limiter that counts them. */
export interface RateLimiting {
  readonly limit: RateLimit
  readonly limiter: RateLimiter
}

/**
 * Rejects the requests of a key beyond its limit with 429. Every response says how many requests
 * are left, in the fields of draft-ietf-httpapi-ratelimit-headers-10.
 */
export function limitRate({ limit, limiter }: RateLimiting): Check {
  const windowSeconds = wholeSeconds(limit.windowMs)
  const policy = `"default";q=${limit.requests};w=${windowSeconds}`

  function apply(res: HandlerResponse, { isAllowed, remaining, resetMs }: Allowance): void {
    const reset = wholeSeconds(resetMs)
    addHeader(res, 'RateLimit-Policy', policy)
    addHeader(res, 'RateLimit', `"default";r=${remaining};t=${reset}`)
    if (isAllowed) return
    const message =
      `This API key may make ${limit.requests} requests in ${windowSeconds} s. ` +
      `Try again in ${reset} s.`
    throw new HttpError('rate_limited', message, retryAfter(reset))
  }

  return (_req, res) => {
    const allowance = limiter.take(verifiedKeyOf(res).keyId)
    // The limiter in memory returns no promise, which would cost each request a microtask.
    if (allowance instanceof Promise) return allowance.then((late) => apply(res, late))
    return apply(res, allowance)
  }
}
