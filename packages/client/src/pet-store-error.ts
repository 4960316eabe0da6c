/**
 * Every `code` that the service publishes. The list may grow; the meaning of an entry never
 * changes.
 */
export type ServiceErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'gone'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal_error'
  | 'not_implemented'
  | 'service_unavailable'

/**
 * Errors that the client reports itself: no response, none in time, or a response that is not the
 * service's (the page of a proxy, a redirect, a body that cannot be read).
 */
export type ClientErrorCode = 'connection_failed' | 'timeout' | 'unexpected_response'

/** A code to branch on. A service newer than this client may send one that is not listed. */
export type PetStoreErrorCode = ServiceErrorCode | ClientErrorCode | (string & {})

/** Further fields of a `PetStoreError`. */
export interface PetStoreErrorDetails extends ErrorOptions {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly idempotencyKey?: string | undefined
}

/** A call that failed after all its attempts. No field contains the API key. */
export class PetStoreError extends Error {
  override readonly name = 'PetStoreError'
  /** The reason, to branch on. */
  readonly code: PetStoreErrorCode
  /** The HTTP status; `undefined` without a response. */
  readonly status: number | undefined
  /** Identifies the request in the service's log; `undefined` if the response has none. */
  readonly requestId: string | undefined
  /** How long to wait after the response (`Retry-After`); `undefined` if the response has none. */
  readonly retryAfterMs: number | undefined
  /**
   * What the call was sent with, the client's own key too: a `createPet` that is called again with
   * it creates no second pet. `undefined` for other operations.
   */
  readonly idempotencyKey: string | undefined

  constructor(code: PetStoreErrorCode, message: string, details: PetStoreErrorDetails = {}) {
    super(message, details)
    this.code = code
    this.status = details.status
    this.requestId = details.requestId
    this.retryAfterMs = details.retryAfterMs
    this.idempotencyKey = details.idempotencyKey
  }
}
