import type { RateLimit, RateLimiter } from '@pet-store/access'
import type { Check } from '../http/handler.ts'
import { HttpError } from '../http/http-error.ts'
import { addHeader } from '../http/send-response.ts'
import { verifiedKeyOf } from './require-key.ts'

/** How many requests each key may make, and who counts them. */
export interface RateLimiting {
  readonly limit: RateLimit
  readonly limiter: RateLimiter
}

/**
 * Rejects the requests of a key beyond its limit with 429. Every response says how much is left, in the fields of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function limitRate({ limit, limiter }: RateLimiting): Check {
  const policy = `"default";q=${limit.requests};w=${seconds(limit.windowMs)}`
  return async (_req, res) => {
    const { isAllowed, remaining, resetMs } = await limiter.take(verifiedKeyOf(res).keyId)
    const reset = seconds(resetMs)
    addHeader(res, 'RateLimit-Policy', policy)
    addHeader(res, 'RateLimit', `"default";r=${remaining};t=${reset}`)
    if (isAllowed) return
    const message = `This API key may make ${limit.requests} requests in ${seconds(limit.windowMs)} s. Try again in ${reset} s.`
    throw new HttpError('rate_limited', message, { 'Retry-After': String(reset) })
  }
}

/** Whole seconds, rounded up, so that a client that waits for them has waited long enough. */
function seconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}
