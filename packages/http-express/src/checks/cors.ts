import cors from 'cors'
import type { Handler } from '../request/handler.ts'
import { sendResponse } from '../response/response.ts'

/** The response headers that a web page of another origin may read. */
const EXPOSED_HEADERS =
  'Link,Location,Idempotency-Replayed,X-Request-Id,RateLimit,RateLimit-Policy,' +
  'Retry-After,Deprecation,Sunset,Preference-Applied,WWW-Authenticate'

/** How long a browser may cache the response to a preflight; Chromium's own limit. */
const MAX_AGE_SECONDS = 7_200

/**
 * Lets web pages of `origins` (`*`: of all origins) call the service with `methods`. Responds to
 * their preflights, which browsers send without a key; other OPTIONS requests go on. The service
 * has no cookies, so a page can only do what the key that it sends allows.
 */
export function allowOrigins(origins: readonly string[], methods: string): Handler {
  const origin = origins.includes('*') ? '*' : [...origins]
  const onPreflight = cors({
    origin,
    methods: methods.split(', '),
    maxAge: MAX_AGE_SECONDS,
    preflightContinue: true,
  })
  const onRequest = cors({ origin, exposedHeaders: EXPOSED_HEADERS, preflightContinue: true })
  return (req, res, next) => {
    const requested = req.headers['access-control-request-method']
    const isPreflight =
      req.method === 'OPTIONS' && req.headers.origin !== undefined && requested !== undefined
    if (!isPreflight) return onRequest(req, res, next)
    // The response is sent here, because the library would add a Content-Length, which a 204 must
    // not have (RFC 9110, 8.6).
    onPreflight(req, res, () => sendResponse(res, 204, {}))
  }
}
