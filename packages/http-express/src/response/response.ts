import { type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { closeSlowly } from './close-slowly.ts'
import { type AnyResponse, CONTEXT } from './context.ts'
import { ERROR_STATUS, errorJson, type HttpError } from './http-error.ts'
import { isHttp2 } from './is-http2.ts'

/** Adds a header to a response that is not sent yet. */
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
  // Passing all headers to `writeHead` is cheaper. But a `writeHead` that somebody has replaced may
  // not accept a list, and adapters without a socket read the headers from the response, which does
  // not keep those of a list.
  if (res.socket instanceof Socket && res.writeHead === ServerResponse.prototype.writeHead) {
    res.writeHead(status, headers)
  } else {
    setHeaders(res, headers)
    res.writeHead(status)
  }
  // ASCII text is the same in Latin-1, for which Node does not reserve three bytes per character.
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
 * Sends any other response, with its length and the headers that were added. A header in `own`
 * replaces an added one of the same name.
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

/** Adds a name to `Vary`, and keeps what an app around this one may have set. */
export function addVary(res: AnyResponse, name: string): void {
  const before = res.getHeader('Vary')
  addHeader(res, 'Vary', before === undefined ? name : `${String(before)}, ${name}`)
}

/**
 * Makes a response that is not sent yet close its connection, whatever else the client sends. Not
 * with HTTP/2, where the connection has other requests, and Node ends the stream of this one.
 */
export function closeAfter(res: AnyResponse): void {
  if (!res.headersSent && !isHttp2(res.req)) res.setHeader('Connection', 'close')
}

/**
 * The largest body that Node may read and drop after a 429 or 503, because that costs less than a
 * new connection.
 */
const MAX_DROPPED_BYTES = 102_400

/**
 * Makes a response close its connection if the body of the request has not arrived, because Node
 * would otherwise read all of the body. Not if the body is cheap to read: see `MAX_DROPPED_BYTES`.
 */
function closeUnlessBodyIsCheap(res: AnyResponse, status: number): void {
  const { complete, headers } = res[CONTEXT]?.req ?? res.req
  // In adapters without a connection, `complete` may be undefined.
  if (complete !== false) return
  const { 'content-length': length = '0', 'transfer-encoding': encoding, expect } = headers
  if (length === '0' && encoding === undefined) return
  // A client that waits for `100 Continue` may or may not send its body now.
  const isCheap =
    encoding === undefined && expect === undefined && Number(length) <= MAX_DROPPED_BYTES
  if (!isCheap || (status !== 429 && status !== 503)) closeAfter(res)
}

/**
 * Ends a response whose headers have a Content-Length. If the response closes its connection, the
 * client may still be sending, so `closeSlowly` closes it instead of Node, which would do so right
 * after the response. Not if an adapter has no real socket.
 */
function endResponse(
  res: AnyResponse,
  body: string | Buffer = '',
  encoding: BufferEncoding = 'utf8',
): void {
  const { socket } = res
  if (res.getHeader('Connection') === 'close' && socket instanceof Socket) {
    // Called after the listener of Node, which has called `socket.destroySoon`. That has ended the
    // sending side, and would destroy the connection once everything is sent.
    res.once('finish', () => {
      socket.off('finish', socket.destroy)
      closeSlowly(socket)
    })
  }
  res.end(body, encoding)
}
