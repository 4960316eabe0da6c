/**
 * Every `code` of an error response, with its status. The list may grow; an entry never changes.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_key_reused: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  service_unavailable: 503,
} as const

export const INTERNAL_ERROR: string =
  'An internal error occurred. ' +
  'The log of the service has its cause under the X-Request-Id of this response.'

/** The machine-readable reason of an error response. Clients branch on it. */
export type ErrorCode = keyof typeof ERROR_STATUS

/** The body of every error response (interface document, section 2). */
export interface ErrorBody {
  readonly code: ErrorCode
  readonly message: string
  readonly status: number
}

/** An error that becomes an error response: with its code, its message and these headers. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    message: string,
    headers: HttpError['headers'] = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.headers = headers
  }
}

/** The body of the response, as JSON text. */
export function errorJson({ code, message }: HttpError): string {
  return JSON.stringify({ code, message, status: ERROR_STATUS[code] } satisfies ErrorBody)
}
