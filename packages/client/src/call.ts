import type { Hooks } from './hooks.ts'

/** How an operation is sent, and what its responses mean. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The status of its success. */
  readonly successStatus: number
  /**
   * Whether a second request changes nothing more than the first (RFC 9110, 9.2.2). Any other
   * operation is repeated only with an `Idempotency-Key`.
   */
  readonly isIdempotent: boolean
  /**
   * What means success, too, after an attempt that may have been carried out although its response
   * was lost: 404 for a DELETE, since the pet is gone. Default: nothing.
   */
  readonly doneStatus?: number
}

/** A request of an operation, and how to read the response of its success. */
export interface Call<T> {
  readonly operation: Operation
  readonly url: string
  readonly idempotencyKey?: string
  /** JSON. */
  readonly body?: string
  /** Throws where the response is not what the interface specifies. */
  readonly read: (text: string, headers: Headers) => T
}

/** What every attempt needs. */
export interface AttemptOptions {
  readonly apiKey: string | undefined
  readonly fetch: typeof fetch
  /** For one attempt, from the first byte sent to the last byte read. */
  readonly timeoutMs: number
  /** The caller's, in addition to what the call itself needs. */
  readonly headers: Headers
  readonly hooks: Hooks
}
