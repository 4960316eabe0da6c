import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { closeAfter, endResponse } from './end-response.ts'
import { RequestContext } from './handler.ts'
import { ERROR_STATUS, errorJson, type HttpError } from './http-error.ts'

/** Adds a header to those that the response will be sent with. */
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
  // ASCII is the same in Latin-1, which Node writes without reserving three bytes for each character.
  endResponse(res, json, length === json.length ? 'latin1' : 'utf8')
}

/** Sends an error response: the headers of the error, those that were added, and the error body. */
export function sendError(res: ServerResponse & { locals?: unknown }, error: HttpError): void {
  if (res.locals instanceof RequestContext) res.locals.errorCode = error.code
  for (const [name, value] of Object.entries(error.headers)) addHeader(res, name, value)
  sendJson(res, ERROR_STATUS[error.code], errorJson(error))
}

/** Sends any other response with the headers that were added; those in `own` replace them. */
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
  res.writeHead(status, own)
  endResponse(res, body)
}

/** What Node may read and drop after an early 429 or 503, in bytes: a new connection would cost more. */
const MAX_DROPPED_BYTES = 102_400

/** Closes the connection with a response that is sent before the body of its request has arrived. Else Node would read all of it. */
function closeUnlessBodyIsCheap(res: ServerResponse, status: number): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding, expect } = res.req.headers
  if (length === '0' && encoding === undefined) return
  // A client that waits for `100 Continue` may send its body or not.
  const isCheap = encoding === undefined && expect === undefined && Number(length) <= MAX_DROPPED_BYTES
  if (!isCheap || (status !== 429 && status !== 503)) closeAfter(res)
}

/** The list that headers are added to; absent in a response that did not pass `openRequest`. */
function headersOf(res: ServerResponse & { locals?: unknown }): RequestContext['headers'] | undefined {
  return res.locals instanceof RequestContext ? res.locals.headers : undefined
}
