import type { Scope } from '@pet-store/access'
import type { Caller } from './caller.ts'
import { clientNetwork } from './client-network.ts'
import { HttpError } from './error-answer.ts'
import type { Handler, HandlerResponse } from './handler.ts'

/**
 * Tells who a key belongs to. `undefined` for a key that is unknown, expired or revoked, which nothing tells apart;
 * `too_many_look_ups` for one that was not looked at, because the client's address asks for too many.
 */
export type TokenCheck = (key: string, address: () => string) => Verdict | Promise<Verdict>
type Verdict = Caller | undefined | 'too_many_look_ups'

const CHALLENGE = 'Bearer realm="pet-store"'

/** Lets a request pass only with a good API key (interface document, section 5; RFC 6750). */
export function requireBearer(check: TokenCheck, onMissingKey: () => void = () => {}): Handler {
  return (req, res, next) => {
    const key = bearerKey(req.headers.authorization)
    if (key === undefined) {
      onMissingKey()
      throw new HttpError('unauthorized', 'An API key is required: Authorization: Bearer <API_KEY>', {
        'WWW-Authenticate': CHALLENGE,
      })
    }
    const admit = (verdict: Verdict): void => {
      res.locals.caller = expectGood(verdict)
      next()
    }
    const verdict = check(key, () => clientNetwork(res.locals.clientAddress))
    // A key that was seen lately is known at once, and waits for no turn of the event loop.
    return verdict instanceof Promise ? verdict.then(admit) : admit(verdict)
  }
}

function expectGood(verdict: Verdict): Caller {
  if (verdict === 'too_many_look_ups') {
    throw new HttpError('rate_limited', 'Too many different API keys were tried from this address.', {
      'Retry-After': '1',
    })
  }
  if (verdict === undefined) {
    throw new HttpError('unauthorized', 'The API key is not valid.', {
      'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"`,
    })
  }
  return verdict
}

/** Who sent a request that has passed the check. */
export function callerOf(res: HandlerResponse): Caller {
  const { caller } = res.locals
  if (caller === undefined) throw new Error('this route is not behind requireBearer')
  return caller
}

/** Refuses a key whose scopes were reduced and lack this one (RFC 6750, section 3.1). */
export function expectScope(res: HandlerResponse, scope: Scope): void {
  if (callerOf(res).scopes.includes(scope)) return
  throw new HttpError('forbidden', `The API key may not do this: it lacks the scope ${scope}.`, {
    'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`,
  })
}

/** What follows the scheme `Bearer`, in any case. Another scheme, or nothing after it, is a missing key. */
function bearerKey(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S.*)$/i.exec(authorization)?.[1]
}
