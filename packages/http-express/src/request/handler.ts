import type { IncomingMessage } from 'node:http'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { HandlerResponse } from '../response/context.ts'

export interface HandlerRequest extends IncomingMessage {
  url: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Runs the next handler. Errors are thrown, not passed. */
type Next = () => void

/**
 * A route or a middleware of Express that uses Node's API only, which costs less than Express's
 * additions.
 */
export type Handler = (
  req: HandlerRequest,
  res: HandlerResponse,
  next: Next,
) => void | Promise<void>

/** A middleware that either returns, and the request goes on, or throws. */
export type Check = (req: HandlerRequest, res: HandlerResponse) => void | Promise<void>

export type ErrorHandler = (
  error: unknown,
  req: HandlerRequest,
  res: HandlerResponse,
  next: Next,
) => void

/** A handler as Express's types have it, which know nothing of the context of a request. */
export function forExpress(handler: Handler): RequestHandler {
  return handler as unknown as RequestHandler
}

export function errorHandlerForExpress(handler: ErrorHandler): ErrorRequestHandler {
  return handler as unknown as ErrorRequestHandler
}
