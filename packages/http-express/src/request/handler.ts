import type { IncomingMessage } from 'node:http'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { HandlerResponse } from '../response/context.ts'

export interface HandlerRequest extends IncomingMessage {
  url: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Runs the next handler. Takes no error: handlers throw. */
type Next = () => void

/**
 * A route or a middleware of Express that uses only the API of Node, which costs less than the
 * additions of Express.
 */
export type Handler = (
  req: HandlerRequest,
  res: HandlerResponse,
  next: Next,
) => void | Promise<void>

/** A middleware that returns to let the request go on, or throws. */
export type Check = (req: HandlerRequest, res: HandlerResponse) => void | Promise<void>

export type ErrorHandler = (
  error: unknown,
  req: HandlerRequest,
  res: HandlerResponse,
  next: Next,
) => void

/** Gives a handler the type that Express expects, which has no context of the request. */
export function forExpress(handler: Handler): RequestHandler {
  return handler as unknown as RequestHandler
}

export function errorHandlerForExpress(handler: ErrorHandler): ErrorRequestHandler {
  return handler as unknown as ErrorRequestHandler
}
