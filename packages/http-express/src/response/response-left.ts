import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { type AnyResponse, CONTEXT } from './context.ts'
import { isHttp2 } from './is-http2.ts'

/**
 * Called with the response, and with the time, by `performance.now()`, at which all of it had left;
 * `undefined` if its connection was lost before.
 */
export type LeftListener = (res: AnyResponse, sentAtMs: number | undefined) => void

const DEPARTURE: unique symbol = Symbol('departure of the response')

interface Departure {
  readonly listeners: LeftListener[]
  hasLeft: boolean
  sentAtMs: number | undefined
}

type Followed = AnyResponse & { [DEPARTURE]?: Departure }

/**
 * Calls the listener once: when the response has left or its connection is lost, whichever comes
 * first, or at once if that has happened already. This one event frees the slot, writes the log
 * line and ends the span.
 *
 * It is made of both `finish` and `close`: a response whose connection breaks emits no `finish`,
 * and those of in-process and serverless adapters emit no `close`.
 */
export function onceLeft(res: ServerResponse, listener: LeftListener): void {
  const departure = departureOf(res)
  if (departure.hasLeft) listener(res, departure.sentAtMs)
  else departure.listeners.push(listener)
}

/** Calls the listeners of a response that has left. Only the first call has an effect. */
function leave(res: Followed, sentAtMs: number | undefined): void {
  const departure = departureOf(res)
  if (departure.hasLeft) return
  departure.hasLeft = true
  departure.sentAtMs = sentAtMs
  res.off('close', onClose)
  const context = res[CONTEXT]
  if (context !== undefined) context.aborted = sentAtMs === undefined
  for (const listener of departure.listeners) listener(res, sentAtMs)
}

/** Whether the response has left or its connection is gone. */
export function hasLeft(res: ServerResponse): boolean {
  return departureOf(res).hasLeft
}

function departureOf(res: Followed): Departure {
  const known = res[DEPARTURE]
  if (known !== undefined) return known
  // Both events may have been emitted already, if the client left while a middleware of an app
  // around this one was at work. `writableFinished` alone does not say so: with HTTP/2 it is true
  // for every response to HEAD.
  const isOver = res.destroyed || (res.writableEnded && res.writableFinished)
  const departure: Departure = { listeners: [], hasLeft: isOver, sentAtMs: undefined }
  res[DEPARTURE] = departure
  if (isOver) return departure
  res.on('finish', onFinish)
  res.on('close', onClose)
  return departure
}

/** Uses `this`, so that all responses share one function; a closure for each would cost more. */
function onFinish(this: ServerResponse): void {
  leave(this, isGone(this) ? undefined : performance.now())
}

/**
 * Whether a response that has finished was not sent, because its connection was destroyed before:
 * Node emits `finish` then too. The responses of some adapters have no socket.
 */
function isGone(res: ServerResponse): boolean {
  const req: IncomingMessage | Http2ServerRequest | undefined = res.req
  if (!isHttp2(req)) return req?.socket?.destroyed === true
  // With HTTP/2 the stream is destroyed in any case, and the response may not have ended.
  return req.aborted || !res.writableEnded || req.stream.rstCode !== 0
}

function onClose(this: ServerResponse): void {
  leave(this, undefined)
}
