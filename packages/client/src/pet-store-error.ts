/** Every `code` that the service publishes. The list may grow; the meaning of an entry never changes. */
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
  | 'service_unavailable'

/**
 * What the client itself has to report: no answer came, or none came in time, or an answer came that is none of the
 * service (the page of a proxy, a redirect, a body that cannot be read).
 */
export type ClientErrorCode = 'connection_failed' | 'timeout' | 'unexpected_answer'

/** A code to branch on. A service newer than this client may send one that is not listed. */
export type PetStoreErrorCode = ServiceErrorCode | ClientErrorCode | (string & {})

/** What else is known of a failed call. */
export interface PetStoreErrorDetails extends ErrorOptions {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
}

/** A call that failed after all its attempts. Neither its message nor any other field holds the API key. */
export class PetStoreError extends Error {
  override readonly name = 'PetStoreError'
  /** The reason, to branch on. */
  readonly code: PetStoreErrorCode
  /** The HTTP status; `undefined` where no answer came. */
  readonly status: number | undefined
  /** The name of this call in the service's log; `undefined` where the answer had none. */
  readonly requestId: string | undefined
  /** How long the service asks to wait, in milliseconds from the answer; `undefined` where it does not ask. */
  readonly retryAfter: number | undefined

  constructor(code: PetStoreErrorCode, message: string, details: PetStoreErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status
    this.requestId = details.requestId
    this.retryAfter = details.retryAfter
  }
}
