import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestContext } from './request-context.ts'

/** A request, with the parameters that were found in its path. */
export interface HandlerRequest<Parameters = unknown> extends IncomingMessage {
  url: string
  readonly params: Parameters
}

/** An answer, with what is known of the request that it answers. */
export interface HandlerResponse extends ServerResponse {
  locals: RequestContext
}

/** Goes on to the next handler. What goes wrong is thrown. */
type Next = () => void

/**
 * A step on the way of a request. Any Express route takes it. It uses what Node gives and nothing that Express adds, so
 * that the fast path can run it too.
 */
export type Handler<Parameters = unknown> = (
  req: HandlerRequest<Parameters>,
  res: HandlerResponse,
  next: Next,
) => void | Promise<void>

/** The step that answers errors. */
export type ErrorHandler = (error: unknown, req: HandlerRequest, res: HandlerResponse, next: Next) => void
