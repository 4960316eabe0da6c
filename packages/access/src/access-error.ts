/** Every way an operation on API keys can fail. Codes never change; messages may. */
export type AccessErrorCode =
  | 'api_key_invalid'
  | 'api_key_not_found'
  | 'api_key_not_active'
  | 'api_key_replaced'

/**
 * An operation on API keys that could not be done, for a reason that the caller can understand and
 * act on.
 */
export class AccessError extends Error {
  override readonly name = 'AccessError'
  readonly code: AccessErrorCode

  constructor(code: AccessErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The error for input that breaks a rule. */
export function invalid(message: string): AccessError {
  return new AccessError('api_key_invalid', message)
}
