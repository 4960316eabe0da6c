import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { ERROR_STATUS, errorJson, type HttpError } from './error-answer.ts'
import { RequestContext } from './request-context.ts'

/** Adds a header to those that the answer will be sent with. */
export function addHeader(res: ServerResponse, name: string, value: string): void {
  const headers = headersOf(res)
  if (headers === undefined) res.setHeader(name, value)
  else headers.push(name, value)
}

/** Sends a ready JSON text, with all headers that were added. */
export function sendJson(res: ServerResponse, status: number, json: string): void {
  const own = ['Content-Type', 'application/json', 'Content-Length', Buffer.byteLength(json)]
  res.writeHead(status, [...(headersOf(res) ?? []), ...own])
  res.end(json)
}

/** Sends an error answer with its headers and the error body. */
export function sendError(res: ServerResponse, error: HttpError): void {
  for (const [name, value] of Object.entries(error.headers)) addHeader(res, name, value)
  sendJson(res, ERROR_STATUS[error.code], errorJson(error.code, error.message))
}

/** Sends anything else, with all headers that were added. Those given here win. */
export function sendAnswer(
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

/** The list that headers are added to; a response that was never opened (see `openRequest`) has none. */
function headersOf(res: ServerResponse & { locals?: unknown }): RequestContext['headers'] | undefined {
  return res.locals instanceof RequestContext ? res.locals.headers : undefined
}
