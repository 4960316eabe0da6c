import type { KeyCheckResult, VerifiedKey } from '@pet-store/access'
import { clientNetwork } from '../request/client-address.ts'
import type { Check } from '../request/handler.ts'
import { CONTEXT, type HandlerResponse } from '../response/context.ts'
import { HttpError } from '../response/http-error.ts'
import { RETRY_AFTER_SECONDS, retryAfter } from '../response/retry-after.ts'

/** Verifies an API key, as `KeyCheck.check` of `@pet-store/access` does. */
export type TokenCheck = (
  key: string,
  address: () => string,
) => KeyCheckResult | Promise<KeyCheckResult>

/** The challenge of a 401 or 403 (RFC 6750, 3). */
export const CHALLENGE = 'Bearer realm="pet-store"'

/**
 * Requires a valid API key (interface document, section 5; RFC 6750), else 401. 429 if the client
 * has tried too many keys.
 */
export function requireKey(check: TokenCheck): Check {
  return (req, res) => {
    const context = res[CONTEXT]
    const key = bearerKey(req.headers.authorization)
    if (key === undefined) throw missingKey()
    const result = check(key, () => clientNetwork(context.clientAddress))
    // The result for a cached key is not a promise, which would cost each request a microtask.
    if (result instanceof Promise) {
      return result.then((late) => {
        if (late === undefined || late === 'too_many_look_ups') throw rejected(late)
        context.verifiedKey = late
      })
    }
    if (result === undefined || result === 'too_many_look_ups') throw rejected(result)
    context.verifiedKey = result
    return undefined
  }
}

/** The key of a request that has passed `requireKey`. */
export function verifiedKeyOf(res: HandlerResponse): VerifiedKey {
  const { verifiedKey } = res[CONTEXT]
  if (verifiedKey === undefined) throw new Error('this route is not behind requireKey')
  return verifiedKey
}

/** The key after the scheme `Bearer`, which is case-insensitive; `undefined` if there is none. */
function bearerKey(authorization: string | undefined): string | undefined {
  const key = authorization === undefined ? undefined : /^bearer +(\S.*)$/i.exec(authorization)?.[1]
  if (key === undefined || !/[\x80-\xff]/.test(key)) return key
  // Node reads headers as Latin-1. A static key may be any text, and is hashed as UTF-8.
  return Buffer.from(key, 'latin1').toString()
}

function rejected(result: Exclude<KeyCheckResult, VerifiedKey>): HttpError {
  if (result === undefined) {
    return new HttpError('unauthorized', 'The API key is not valid.', {
      'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"`,
    })
  }
  const message = 'Too many different API keys were tried from this address.'
  return new HttpError('rate_limited', message, retryAfter(RETRY_AFTER_SECONDS.tooManyKeys))
}

function missingKey(): HttpError {
  const message = 'An API key is required: Authorization: Bearer <API_KEY>'
  return new HttpError('unauthorized', message, { 'WWW-Authenticate': CHALLENGE })
}
