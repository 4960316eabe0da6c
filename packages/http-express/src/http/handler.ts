import type { IncomingMessage, ServerResponse } from 'node:http'
import type { VerifiedKey } from '@pet-store/access'
import type { ErrorCode } from './http-error.ts'

/** A request, with the parameters of its path. */
export interface HandlerRequest<Parameters = unknown> extends IncomingMessage {
  url: string
  readonly params: Parameters
}

/** A response, with what is known about its request. */
export interface HandlerResponse extends ServerResponse {
  locals: RequestContext
}

/** Runs the next handler. Errors are thrown, not passed. */
type Next = () => void

/** A route or a middleware of Express that uses Node's API only, which costs less than Express's additions. */
export type Handler<Parameters = unknown> = (
  req: HandlerRequest<Parameters>,
  res: HandlerResponse,
  next: Next,
) => void | Promise<void>

/** A middleware that either returns, and the request goes on, or throws. */
export type Check = (req: HandlerRequest, res: HandlerResponse) => void | Promise<void>

/** The error handler of an Express app. */
export type ErrorHandler = (error: unknown, req: HandlerRequest, res: HandlerResponse, next: Next) => void

/** What is known about a request: the `locals` of its response. */
export class RequestContext {
  readonly requestId: string
  readonly clientAddress: string | undefined
  readonly startedAt: number = performance.now()
  /** Names and values in turn. The response is sent with all of them at once, which is cheaper than `setHeader`. */
  readonly headers: (string | number)[]
  verifiedKey: VerifiedKey | undefined = undefined
  /** Whether the use case that writes was called. */
  isWriting = false
  /** The route's template, once the route is known. */
  route: string | undefined = undefined
  /** Once an error response is sent. */
  errorCode: ErrorCode | undefined = undefined

  constructor(requestId: string, clientAddress: string | undefined, headers: readonly string[]) {
    this.requestId = requestId
    this.clientAddress = clientAddress
    this.headers = ['X-Request-Id', requestId, 'Cache-Control', 'no-store', ...headers]
  }
}

declare global {
  namespace Express {
    interface Locals extends RequestContext {}
  }
}
