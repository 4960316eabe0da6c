import type { RateLimit, RateLimiter } from '@pet-store/access'
import { HttpError } from './error-answer.ts'
import type { Handler } from './handler.ts'
import { callerOf } from './require-bearer.ts'
import { addHeader } from './send-answer.ts'

/** How often each key may be used, and who counts. */
export interface RateLimiting {
  readonly limit: RateLimit
  readonly limiter: RateLimiter
}

/**
 * Refuses the requests of a key beyond its limit, and tells on every answer how much is left, in the fields of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function limitRate({ limit, limiter }: RateLimiting): Handler {
  const policy = `"default";q=${limit.requests};w=${seconds(limit.windowMs)}`
  return async (_req, res, next) => {
    const { isAllowed, remaining, resetMs } = await limiter.take(callerOf(res).keyId)
    const reset = seconds(resetMs)
    addHeader(res, 'RateLimit-Policy', policy)
    addHeader(res, 'RateLimit', `"default";r=${remaining};t=${reset}`)
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
