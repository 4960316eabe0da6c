/** Every way an operation on API keys can fail. Codes never change; messages may. */
export type AccessErrorCode = 'api_key_invalid' | 'api_key_not_found' | 'api_key_not_active' | 'api_key_replaced'

/** An operation on API keys that could not be done, for a reason that the caller can understand and act on. */
export class AccessError extends Error {
  override readonly name = 'AccessError'
  readonly code: AccessErrorCode

  constructor(code: AccessErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
