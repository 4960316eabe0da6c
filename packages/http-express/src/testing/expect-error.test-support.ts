import type { IncomingHttpHeaders } from 'node:http'
import { expect } from 'vitest'
import { ERROR_STATUS, type ErrorCode } from '../response/http-error.ts'

/** One response, its body as the text that was sent: a parsed body would hide rounded integers. */
export interface TestResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body before any decoding; absent for a response on a raw connection. */
  readonly bytes?: Buffer
}

/** Checks what all error responses have in common, and returns the message. */
export function expectError(response: TestResponse, code: ErrorCode): string {
  expect(`${response.status} ${response.text}`).toContain(code)
  expect(response.status).toBe(ERROR_STATUS[code])
  return expectErrorBody(response)
}

/** The same for a response whose code does not matter: any code, as long as it fits the status. */
export function expectErrorBody(response: TestResponse): string {
  expect(response.headers['content-type']).toBe('application/json')
  expect(response.headers['content-length']).toBe(String(Buffer.byteLength(response.text)))
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.headers['x-request-id']).toMatch(/^[\x20-\x7e]{1,128}$/)
  const body = JSON.parse(response.text)
  expect(Object.keys(body).sort()).toEqual(['code', 'message', 'status'])
  expect(body.status).toBe(response.status)
  expect(ERROR_STATUS[body.code as ErrorCode]).toBe(response.status)
  expect(body.message).toEqual(expect.any(String))
  expect(body.message).not.toBe('')
  return body.message
}

/** Checks any response: it is no internal error, and an error has an error body. */
export function expectNoInternalError(response: TestResponse): void {
  expect(response.status, response.text).toBeLessThan(500)
  if (response.status >= 400) expectErrorBody(response)
}
