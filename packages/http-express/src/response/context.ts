import type { IncomingMessage, ServerResponse } from 'node:http'
import type { VerifiedKey } from '@pet-store/access'
import type { ErrorCode } from './http-error.ts'

/**
 * Where a response holds the context of its request: a symbol, so that nothing of an app around
 * this one is replaced, `res.locals` included.
 */
export const CONTEXT: unique symbol = Symbol('context of the request')

/** What is known about a request, from its first middleware until its response has left. */
export interface RequestContext {
  readonly req: IncomingMessage
  readonly requestId: string
  readonly clientAddress: string | undefined
  /** By `performance.now()`. */
  readonly startedAt: number
  /**
   * The headers of the response: a name, its value, the next name and so on. They are sent all at
   * once, which is cheaper than `setHeader`.
   */
  readonly headers: (string | number)[]
  verifiedKey: VerifiedKey | undefined
  /** The route's template, once the route is known. */
  route: string | undefined
  /** What a 503 says of the operation, if it writes. */
  write: WriteSentences | undefined
  /** Whether the use case that writes was called. */
  isWriting: boolean
  errorCode: ErrorCode | undefined
  /**
   * Whether the connection was gone before the response had left: what use cases are given as their
   * `Cancellation`. Cheaper than an `AbortSignal`, which needs a listener for each request.
   */
  aborted: boolean
}

/** What a 503 says of an operation that writes; parts of sentences, without a full stop. */
export interface WriteSentences {
  /** It is known that nothing was written: `The pet was not added`. */
  readonly notDone: string
  /** It is not known: `The pet may have been added`. */
  readonly maybeDone: string
  /** How the client can find out: `repeat the request`. */
  readonly remedy: string
  /**
   * For an operation with an `Idempotency-Key`, what an earlier request with the same key may have
   * done: `added the pet`.
   */
  readonly earlier?: string
}

/** A response whose request was opened; see `openRequest`. */
export interface HandlerResponse extends ServerResponse {
  [CONTEXT]: RequestContext
}

/** Any response. Those to requests that did not reach the app have no context. */
export type AnyResponse = ServerResponse & { [CONTEXT]?: RequestContext }

/** The context of a request; `undefined` for one that did not reach the app. */
export function contextOf(res: AnyResponse): Readonly<RequestContext> | undefined {
  return res[CONTEXT]
}
