import type { Scope } from '@pet-store/access'
import type { Check } from '../request/handler.ts'
import { CONTEXT } from '../response/context.ts'
import { HttpError } from '../response/http-error.ts'
import { CHALLENGE } from './api-key.ts'

/** Requires a key with the scope: else 403 (RFC 6750, 3.1). */
export function requireScope(scope: Scope): Check {
  return (_req, res) => {
    if (res[CONTEXT].verifiedKey?.scopes.includes(scope)) return
    const message = `The API key may not do this: it lacks the scope ${scope}.`
    throw new HttpError('forbidden', message, {
      'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`,
    })
  }
}
