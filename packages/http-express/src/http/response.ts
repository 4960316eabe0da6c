import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { VerifiedKey } from '@pet-store/access'
import { ERROR_STATUS, type ErrorCode, errorJson, type HttpError } from './http-error.ts'

export interface HandlerRequest extends IncomingMessage {
  url: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A response, with what is known about its request. */
export interface HandlerResponse extends ServerResponse {
  locals: RequestContext
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

/** What is known about a request: the `locals` of its response. */
export class RequestContext {
  readonly requestId: string
  readonly clientAddress: string | undefined
  readonly startedAt: number = performance.now()
  /**
   * Names and values in turn. The response is sent with all of them at once, which is cheaper than
   * `setHeader`.
   */
  readonly headers: (string | number)[]
  verifiedKey: VerifiedKey | undefined = undefined
  /** Whether the use case that writes was called. */
  isWriting = false
  /** The route's template, once the route is known. */
  route: string | undefined = undefined
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

export function addHeader(res: ServerResponse, name: string, value: string): void {
  const headers = headersOf(res)
  if (headers === undefined) res.setHeader(name, value)
  else headers.push(name, value)
}

/** Sends JSON text with the headers that were added. */
export function sendJson(res: ServerResponse, status: number, json: string): void {
  const length = Buffer.byteLength(json)
  if (!res.req.complete) closeUnlessBodyIsCheap(res, status)
  const headers = headersOf(res) ?? []
  headers.push('Content-Type', 'application/json', 'Content-Length', length)
  res.writeHead(status, headers)
  // ASCII is the same in Latin-1, which Node writes without reserving three bytes for each
  // character.
  endResponse(res, json, length === json.length ? 'latin1' : 'utf8')
}

/** Sends an error response: the headers of the error, those that were added, and the error body. */
export function sendError(res: ServerResponse & { locals?: unknown }, error: HttpError): void {
  if (res.locals instanceof RequestContext) res.locals.errorCode = error.code
  for (const [name, value] of Object.entries(error.headers)) addHeader(res, name, value)
  sendJson(res, ERROR_STATUS[error.code], errorJson(error))
}

/**
 * Sends any other response with its length and the headers that were added; those in `own` replace
 * them.
 */
export function sendResponse(
  res: ServerResponse,
  status: number,
  own: OutgoingHttpHeaders,
  body?: string | Buffer,
): void {
  const headers = headersOf(res) ?? []
  for (let index = 0; index < headers.length; index += 2) {
    res.setHeader(String(headers[index]), headers[index + 1] ?? '')
  }
  if (!res.req.complete) closeUnlessBodyIsCheap(res, status)
  if (body !== undefined) res.setHeader('Content-Length', Buffer.byteLength(body))
  res.writeHead(status, own)
  endResponse(res, body)
}

/**
 * What Node may read and drop after an early 429 or 503, in bytes: a new connection would cost
 * more.
 */
const MAX_DROPPED_BYTES = 102_400

/**
 * Closes the connection with a response that is sent before the body of its request has arrived.
 * Else Node would read all of it.
 */
function closeUnlessBodyIsCheap(res: ServerResponse, status: number): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding, expect } = res.req.headers
  if (length === '0' && encoding === undefined) return
  // A client that waits for `100 Continue` may send its body or not.
  const isCheap =
    encoding === undefined && expect === undefined && Number(length) <= MAX_DROPPED_BYTES
  if (!isCheap || (status !== 429 && status !== 503)) closeAfter(res)
}

/** The list that headers are added to; absent in a response that did not pass `openRequest`. */
function headersOf(
  res: ServerResponse & { locals?: unknown },
): RequestContext['headers'] | undefined {
  return res.locals instanceof RequestContext ? res.locals.headers : undefined
}

/**
 * How long a client may keep sending after a response that closes its connection: time to receive
 * that response.
 */
const LINGER_MS = 1_000

/** Responses that are written and close their connection, with the time when all of it had left. */
const written = new WeakMap<ServerResponse, number | undefined>()

/** Closes the connection after a response that is not sent yet, whatever else the client sends. */
export function closeAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close')
}

/** Whether all of the response is written; it can no longer change. */
export function isWritten(res: ServerResponse): boolean {
  return res.writableEnded || written.has(res)
}

/**
 * When all of the response had left, for one whose connection is closed; `undefined` if it broke
 * before.
 */
export function sentAtMs(res: ServerResponse): number | undefined {
  return written.get(res) ?? (res.writableFinished ? performance.now() : undefined)
}

/**
 * Ends a response whose headers have a Content-Length. If it closes the connection while the client
 * may still be sending, it is written whole, but the connection closes slowly: Node would close it
 * with the end of the response. Not where a middleware in front has replaced `write`: compression
 * sends nothing before `end`.
 */
function endResponse(
  res: ServerResponse,
  body: string | Buffer = '',
  encoding: BufferEncoding = 'utf8',
): void {
  const { req, socket } = res
  if (res.getHeader('Connection') !== 'close' || socket === null || Object.hasOwn(res, 'write')) {
    res.end(body, encoding)
    return
  }
  written.set(res, undefined)
  if (body.length > 0 && req.method !== 'HEAD') res.write(body, encoding)
  else res.flushHeaders()
  closeSlowly(socket, () => written.set(res, performance.now()))
  req.resume()
}

/**
 * Sends what was written and the end of this side, and keeps reading until the client closes its
 * side, or for a while. A connection that is closed with unread bytes is reset, and a reset can
 * overtake the response (RFC 9112, 9.6).
 */
export function closeSlowly(socket: Socket, onSent: () => void = () => {}): void {
  let timer: NodeJS.Timeout | undefined
  socket.once('close', () => clearTimeout(timer))
  socket.end((error?: Error | null) => {
    if (!error) onSent()
    timer = setTimeout(() => socket.destroy(), LINGER_MS)
  })
  socket.resume()
}
