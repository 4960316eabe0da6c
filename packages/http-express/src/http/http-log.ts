import type { ErrorCode } from './http-error.ts'

/** Where the app reports what happened. Never called with a key, a header or a body. */
export interface HttpLog {
  /** A request has arrived; `request` follows when it ends. */
  begin?(): void
  /** A request has ended: the response was sent, or the connection broke. */
  request(entry: RequestEntry): void
  /** An internal error, whose cause is not in the response. */
  internalError(error: unknown, requestId: string): void
  /** Persistence was unavailable for this request, which got 503: the state of another system, not an error of this one. */
  unavailable?(error: unknown, requestId: string): void
}

/** One request, for a log line. */
export interface RequestEntry {
  readonly requestId: string
  /** Absent where the request could not be parsed. */
  readonly method?: string | undefined
  /** The route's template, so that lines can be counted; absent for unknown paths. */
  readonly route?: string | undefined
  /** Absent when the connection broke before all of the response was sent. */
  readonly status: number | undefined
  /** The `code` of an error response. */
  readonly code?: ErrorCode | undefined
  readonly durationMs: number
  /** The public id of the verified API key, never the key itself. */
  readonly keyId?: string | undefined
  /** Where the request came from: the connection's address, or what trusted proxies forwarded. */
  readonly clientAddress?: string | undefined
  /** False when the connection broke before all of the response was sent. */
  readonly isComplete: boolean
}
