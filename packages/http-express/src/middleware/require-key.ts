import type { KeyVerdict, RateLimit, RateLimiter, Scope, VerifiedKey } from '@pet-store/access'
import ipaddr from 'ipaddr.js'
import { HttpError } from '../http/http-error.ts'
import { addHeader, type Check, type HandlerResponse } from '../http/response.ts'

/** Verifies an API key, as `KeyCheck.check` of `@pet-store/access` does. */
export type TokenCheck = (key: string, address: () => string) => KeyVerdict | Promise<KeyVerdict>

const CHALLENGE = 'Bearer realm="pet-store"'

/** Requires a valid API key (interface document, section 5; RFC 6750): else 401. */
export function requireKey(check: TokenCheck): Check {
  return (req, res) => {
    const key = bearerKey(req.headers.authorization)
    if (key === undefined) {
      throw new HttpError(
        'unauthorized',
        'An API key is required: Authorization: Bearer <API_KEY>',
        {
          'WWW-Authenticate': CHALLENGE,
        },
      )
    }
    const verdict = check(key, () => clientNetwork(res.locals.clientAddress))
    // A cached key is verified at once. A promise would cost a microtask for each request.
    if (verdict instanceof Promise) return verdict.then((late) => setVerifiedKey(res, late))
    return setVerifiedKey(res, verdict)
  }
}

function setVerifiedKey(res: HandlerResponse, verdict: KeyVerdict): void {
  if (verdict === 'too_many_look_ups') {
    throw new HttpError(
      'rate_limited',
      'Too many different API keys were tried from this address.',
      {
        'Retry-After': '1',
      },
    )
  }
  if (verdict === undefined) {
    throw new HttpError('unauthorized', 'The API key is not valid.', {
      'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"`,
    })
  }
  res.locals.verifiedKey = verdict
}

/** The key of a request that has passed `requireKey`. */
export function verifiedKeyOf(res: HandlerResponse): VerifiedKey {
  const { verifiedKey } = res.locals
  if (verifiedKey === undefined) throw new Error('this route is not behind requireKey')
  return verifiedKey
}

/** The key behind the scheme `Bearer`, which is case-insensitive; `undefined` without one. */
function bearerKey(authorization: string | undefined): string | undefined {
  const key = authorization === undefined ? undefined : /^bearer +(\S.*)$/i.exec(authorization)?.[1]
  if (key === undefined || !/[\x80-\xff]/.test(key)) return key
  // Node reads headers as Latin-1. A static key may be any text, and its hash is that of UTF-8.
  return Buffer.from(key, 'latin1').toString()
}

/**
 * The address under which a client is counted: the /64 network of an IPv6 address, because one
 * client usually has all of it; an IPv4 address as it is, even when it is written as IPv6. Whatever
 * is not an address counts as one client.
 */
export function clientNetwork(ip = ''): string {
  if (!ipaddr.isValid(ip)) return ''
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}

/** Requires a key with the scope: else 403 (RFC 6750, 3.1). */
export function requireScope(scope: Scope): Check {
  return (_req, res) => {
    if (verifiedKeyOf(res).scopes.includes(scope)) return
    throw new HttpError('forbidden', `The API key may not do this: it lacks the scope ${scope}.`, {
      'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`,
    })
  }
}

/** How many requests each key may make, and who counts them. */
export interface RateLimiting {
  readonly limit: RateLimit
  readonly limiter: RateLimiter
}

/**
 * Rejects the requests of a key beyond its limit with 429. Every response says how much is left, in
 * the fields of draft-ietf-httpapi-ratelimit-headers-10.
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
