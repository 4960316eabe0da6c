import { type AnyResponse, CONTEXT } from '../response/context.ts'
import type { ErrorCode } from '../response/http-error.ts'
import type { LeftListener } from '../response/response-left.ts'

/** Receives what the app logs. Never gets a key, a header or a body. */
export interface HttpLog {
  /** Called when a request has arrived; `request` is called when it ends. */
  begin?(): void
  /** Called when a request has ended: its response was sent, or its connection broke. */
  request(entry: RequestEntry): void
  /** Called with an internal error, whose cause is not in the response. */
  internalError(error: unknown, requestId: string): void
  /**
   * Called when the database was unavailable for a request, which got 503. That is not an internal
   * error.
   */
  unavailable?(error: Error, requestId: string): void
}

/** The log line of a request. */
export interface RequestEntry {
  readonly requestId: string
  /** Absent where the request could not be parsed. */
  readonly method?: string | undefined
  /** The route's template, so that lines can be counted; absent for unknown paths. */
  readonly route?: string | undefined
  /** Absent when the connection broke before all of the response was sent. */
  readonly status: number | undefined
  readonly code?: ErrorCode | undefined
  readonly durationMs: number
  /** The public id of the verified API key, never the key itself. */
  readonly keyId?: string | undefined
  /** Where the request came from: the connection's address, or what trusted proxies forwarded. */
  readonly clientAddress?: string | undefined
  /** False when the connection broke before all of the response was sent. */
  readonly isComplete: boolean
}

/** Returns a listener that logs a request once its response has left; it serves all requests. */
export function createRequestLog(log: HttpLog): LeftListener {
  return (res: AnyResponse, sentAtMs: number | undefined) => {
    const context = res[CONTEXT]
    if (context === undefined) return
    const { req, requestId, route, startedAt, verifiedKey, clientAddress, errorCode } = context
    const isComplete = sentAtMs !== undefined
    log.request({
      requestId,
      method: req.method,
      route,
      status: isComplete ? res.statusCode : undefined,
      code: errorCode,
      durationMs: (sentAtMs ?? performance.now()) - startedAt,
      keyId: verifiedKey?.keyId,
      clientAddress,
      isComplete,
    })
  }
}
