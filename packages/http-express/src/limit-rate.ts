import type { RateLimit, RateLimiter } from '@pet-store/access'
import type { RequestHandler } from 'express'
import { HttpError } from './error-answer.ts'
import { callerOf } from './require-bearer.ts'

/** How often each key may be used, and who counts. */
export interface RateLimiting {
  readonly limit: RateLimit
  readonly limiter: RateLimiter
}

/**
 * Refuses the requests of a key beyond its limit, and tells on every answer how much is left, in the fields of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function limitRate({ limit, limiter }: RateLimiting): RequestHandler {
  const policy = `"default";q=${limit.requests};w=${seconds(limit.windowMs)}`
  return async (_req, res, next) => {
    const { isAllowed, remaining, resetMs } = await limiter.take(callerOf(res).keyId)
    const reset = seconds(resetMs)
    res.setHeader('RateLimit-Policy', policy)
    res.setHeader('RateLimit', `"default";r=${remaining};t=${reset}`)
    if (!isAllowed) {
      throw new HttpError(
        'rate_limited',
        `This API key may make ${limit.requests} requests in ${seconds(limit.windowMs)} s. Try again in ${reset} s.`,
        {
          'Retry-After': String(reset),
        },
      )
    }
    next()
  }
}

/** Whole seconds, rounded up, so that whoever waits so long has waited long enough. */
function seconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}
