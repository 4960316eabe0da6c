import type { IncomingMessage } from 'node:http'
import cors from 'cors'
import type { Handler } from './handler.ts'
import { sendAnswer } from './send-answer.ts'

/** What a web page of another origin may read besides the body. */
const EXPOSED = [
  'Link',
  'Location',
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Deprecation',
  'Sunset',
  'Preference-Applied',
  'WWW-Authenticate',
]

const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']

/** How long a browser may remember the answer to a preflight, in seconds; Chromium's own limit. */
const REMEMBER = 7_200

/**
 * Lets web pages of these origins (`*`: of all) call the service. Answers their preflights, which browsers send without a
 * key; any other OPTIONS goes on. No cookies are involved, so an origin is given nothing that its key does not give.
 */
export function allowOrigins(origins: readonly string[]): Handler {
  const origin = origins.includes('*') ? '*' : [...origins]
  const onPreflight = cors({ origin, methods: METHODS, maxAge: REMEMBER, preflightContinue: true })
  const onRequest = cors({ origin, exposedHeaders: EXPOSED, preflightContinue: true })
  return (req, res, next) => {
    if (!isPreflight(req)) return onRequest(req, res, next)
    // Ended here, because the library would add a Content-Length, which a 204 must not have (RFC 9110, 8.6).
    onPreflight(req, res, () => sendAnswer(res, 204, {}))
  }
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}
