import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
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
  const own = ['Content-Type', 'application/json', 'Content-Length', Buffer.byteLength(json)]
  res.writeHead(status, [...(headersOf(res) ?? []), ...own])
  res.end(json)
}

/** Sends an error response: the headers of the error, those that were added, and the error body. */
export function sendError(res: ServerResponse, error: HttpError): void {
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
  res.writeHead(status, own)
  res.end(body)
}

/** The list that headers are added to; absent in a response that did not pass `openRequest`. */
function headersOf(res: ServerResponse & { locals?: unknown }): RequestContext['headers'] | undefined {
  return res.locals instanceof RequestContext ? res.locals.headers : undefined
}
