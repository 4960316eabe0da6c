import type { ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { type AnyResponse, CONTEXT } from './context.ts'

/**
 * Called with the response, and with the time by `performance.now()` when all of it had left:
 * `undefined` if its connection was gone before.
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
 * Calls the listener once: when the response has left or its connection is gone, whichever comes
 * first, and at once if that has happened already. The one event that frees the slot, writes the
 * log line and ends the span.
 *
 * `finish` or `close`: a connection that breaks has no `finish`, and the responses of in-process
 * and serverless adapters have no `close`.
 */
export function onceLeft(res: ServerResponse, listener: LeftListener): void {
  const departure = departureOf(res)
  if (departure.hasLeft) listener(res, departure.sentAtMs)
  else departure.listeners.push(listener)
}

/** Tells the listeners that the response has left. Only the first call counts. */
export function leave(res: Followed, sentAtMs: number | undefined): void {
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
  // Its events may be over: a middleware in front may have waited while the client left.
  // Not `writableFinished` alone, which HTTP/2 says of every response to HEAD.
  const isOver = res.destroyed || (res.writableEnded && res.writableFinished)
  const departure: Departure = { listeners: [], hasLeft: isOver, sentAtMs: undefined }
  res[DEPARTURE] = departure
  if (isOver) return departure
  res.on('finish', onFinish)
  res.on('close', onClose)
  return departure
}

/** One function for all responses: a closure for each costs more than `this`. */
function onFinish(this: ServerResponse): void {
  leave(this, isGone(this) ? undefined : performance.now())
}

/** Node ends a response whose connection was destroyed, too. An adapter may have no socket. */
function isGone(res: ServerResponse): boolean {
  const { req } = res
  if (req?.httpVersionMajor !== 2) return req?.socket?.destroyed === true
  // A stream of HTTP/2 is always destroyed then, and its response need not have ended.
  const { stream } = req as unknown as Http2ServerRequest
  return req.aborted || !res.writableEnded || stream.rstCode !== 0
}

function onClose(this: ServerResponse): void {
  leave(this, undefined)
}
