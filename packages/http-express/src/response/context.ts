import type { IncomingMessage, ServerResponse } from 'node:http'
import type { VerifiedKey } from '@pet-store/access'
import type { ErrorCode } from './http-error.ts'

/**
 * The property of a response that has the context of its request. It is a symbol, so that it
 * conflicts with nothing of an app around this one, such as `res.locals`.
 */
export const CONTEXT: unique symbol = Symbol('context of the request')

/** What is known about a request, from its first middleware until its response has left. */
export interface RequestContext {
  readonly req: IncomingMessage
  readonly requestId: string
  readonly clientAddress: string | undefined
  /** When the request arrived, by `performance.now()`. */
  readonly startedAt: number
  /**
   * The headers of the response: a name, its value, the next name and so on. They are sent all at
   * once, which is cheaper than `setHeader`.
   */
  readonly headers: (string | number)[]
  verifiedKey: VerifiedKey | undefined
  /** The route's template, once the route is known. */
  route: string | undefined
  /** What a 503 says about the operation, if the operation writes. */
  write: WriteSentences | undefined
  /** Whether the request has passed all checks, so that its operation may have written. */
  hasBegun: boolean
  errorCode: ErrorCode | undefined
  /**
   * Whether the connection was lost before the response had left. With it the context is the
   * `Cancellation` of use cases, which is cheaper than an `AbortSignal` with a listener for each
   * request.
   */
  aborted: boolean
}

/** What a 503 says about an operation that writes: parts of sentences, without a full stop. */
export interface WriteSentences {
  /** For a request that has written nothing: `The pet was not added`. */
  readonly notDone: string
  /** For a request whose outcome is unknown: `The pet may have been added`. */
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
