import type { RequestHandler, Response } from 'express'
import { HttpError } from './error-answer.ts'

/** Who sent a request. */
export interface Caller {
  /** The public id of the key, good for logs and metrics. */
  readonly keyId: string
}

/** Tells who a key belongs to; `undefined` for a key that is unknown, expired or revoked, which nothing tells apart. */
export type TokenCheck = (key: string) => Caller | undefined | Promise<Caller | undefined>

const CHALLENGE = 'Bearer realm="pet-store"'

/** Lets a request pass only with a good API key (interface document, section 5; RFC 6750). */
export function requireBearer(check: TokenCheck): RequestHandler {
  return async (req, res, next) => {
    const key = bearerKey(req.headers.authorization)
    if (key === undefined) {
      throw new HttpError('unauthorized', 'An API key is required: Authorization: Bearer <API_KEY>', {
        'WWW-Authenticate': CHALLENGE,
      })
    }
    const caller = await check(key)
    if (caller === undefined) {
      throw new HttpError('unauthorized', 'The API key is not valid.', {
        'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"`,
      })
    }
    res.locals.caller = caller
    next()
  }
}

/** Who sent a request that has passed the check. */
export function callerOf(res: Response): Caller {
  const { caller } = res.locals
  if (caller === undefined) throw new Error('this route is not behind requireBearer')
  return caller
}

/** What follows the scheme `Bearer`, in any case. Another scheme, or nothing after it, is a missing key. */
function bearerKey(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S.*)$/i.exec(authorization)?.[1]
}
