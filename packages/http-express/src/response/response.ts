import { type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { closeSlowly } from './close-slowly.ts'
import { type AnyResponse, CONTEXT } from './context.ts'
import { ERROR_STATUS, errorJson, type HttpError } from './http-error.ts'
import { leave } from './response-left.ts'

export function addHeader(res: AnyResponse, name: string, value: string): void {
  const context = res[CONTEXT]
  if (context === undefined) res.setHeader(name, value)
  else context.headers.push(name, value)
}

/** Sends JSON text with the headers that were added. */
export function sendJson(res: AnyResponse, status: number, json: string): void {
  const length = Buffer.byteLength(json)
  closeUnlessBodyIsCheap(res, status)
  const headers = res[CONTEXT]?.headers ?? []
  headers.push('Content-Type', 'application/json', 'Content-Length', length)
  // All at once is cheaper, but a `writeHead` of somebody else may not take a list, and adapters
  // without a socket read them from the response, which does not keep a list.
  if (res.socket instanceof Socket && res.writeHead === ServerResponse.prototype.writeHead) {
    res.writeHead(status, headers)
  } else {
    setHeaders(res, headers)
    res.writeHead(status)
  }
  // ASCII is the same in Latin-1, which Node writes without reserving three bytes for each
  // character.
  endResponse(res, json, length === json.length ? 'latin1' : 'utf8')
}

/** Sends an error response: the headers of the error, all that were added, and the error body. */
export function sendError(res: AnyResponse, error: HttpError): void {
  const context = res[CONTEXT]
  if (context !== undefined) context.errorCode = error.code
  for (const [name, value] of Object.entries(error.headers)) addHeader(res, name, value)
  sendJson(res, ERROR_STATUS[error.code], errorJson(error))
}

/**
 * Sends any other response with its length and the headers that were added; those in `own` replace
 * them.
 */
export function sendResponse(
  res: AnyResponse,
  status: number,
  own: OutgoingHttpHeaders,
  body?: string | Buffer,
): void {
  setHeaders(res, res[CONTEXT]?.headers ?? [])
  closeUnlessBodyIsCheap(res, status)
  if (body !== undefined) res.setHeader('Content-Length', Buffer.byteLength(body))
  for (const [name, value] of Object.entries(own))
    if (value !== undefined) res.setHeader(name, value)
  res.writeHead(status)
  endResponse(res, body)
}

function setHeaders(res: AnyResponse, headers: readonly (string | number)[]): void {
  for (let index = 0; index < headers.length; index += 2) {
    res.setHeader(String(headers[index]), headers[index + 1] ?? '')
  }
}

/** Adds to `Vary`, which an app around this one may have set. */
export function addVary(res: AnyResponse, name: string): void {
  const before = res.getHeader('Vary')
  addHeader(res, 'Vary', before === undefined ? name : `${String(before)}, ${name}`)
}

/**
 * Closes the connection after a response that is not sent yet, whatever else the client sends. With
 * HTTP/2 it has other requests, and Node ends the stream of this one.
 */
export function closeAfter(res: AnyResponse): void {
  if (!res.headersSent && res.req.httpVersionMajor !== 2) res.setHeader('Connection', 'close')
}

/** Responses that are written whole, but end with their connection. */
const written = new WeakSet<ServerResponse>()

/** Whether all of the response is written; it can no longer change. */
export function isWritten(res: AnyResponse): boolean {
  return res.writableEnded || written.has(res)
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
function closeUnlessBodyIsCheap(res: AnyResponse, status: number): void {
  const { complete, headers } = res[CONTEXT]?.req ?? res.req
  // An adapter without a connection may not say whether the request is complete.
  if (complete !== false) return
  const { 'content-length': length = '0', 'transfer-encoding': encoding, expect } = headers
  if (length === '0' && encoding === undefined) return
  // A client that waits for `100 Continue` may send its body or not.
  const isCheap =
    encoding === undefined && expect === undefined && Number(length) <= MAX_DROPPED_BYTES
  if (!isCheap || (status !== 429 && status !== 503)) closeAfter(res)
}

/**
 * Ends a response whose headers have a Content-Length. If it closes the connection while the client
 * may still be sending, it is written whole, but the connection closes slowly: Node would close it
 * with the end of the response. Not where a middleware in front has replaced `write`: compression
 * sends nothing before `end`. Not where an adapter has something else than a socket.
 */
function endResponse(
  res: AnyResponse,
  body: string | Buffer = '',
  encoding: BufferEncoding = 'utf8',
): void {
  const { socket } = res
  const closes = res.getHeader('Connection') === 'close'
  if (!closes || !(socket instanceof Socket) || Object.hasOwn(res, 'write')) {
    res.end(body, encoding)
    return
  }
  written.add(res)
  if (body.length > 0 && res.req.method !== 'HEAD') res.write(body, encoding)
  else res.flushHeaders()
  const onSent = () => leave(res, performance.now())
  // For the `finish` that the log of an app around this one waits for.
  const onEnd = () => void res.end()
  closeSlowly(socket, onSent, onEnd)
  res.req.resume()
}
