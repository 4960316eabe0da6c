import type { ServerResponse } from 'node:http'
import { ERROR_STATUS, errorJson, type HttpError } from './error-answer.ts'

/** Sends a ready JSON text. Headers set earlier on the response are kept. */
export function sendJson(res: ServerResponse, status: number, json: string): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) })
  res.end(json)
}

/** Sends an error answer with its headers and the error body. */
export function sendError(res: ServerResponse, error: HttpError): void {
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value)
  sendJson(res, ERROR_STATUS[error.code], errorJson(error.code, error.message))
}
