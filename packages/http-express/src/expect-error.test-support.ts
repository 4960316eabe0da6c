import { expect } from 'vitest'
import type { Answer } from './answer.test-support.ts'
import { ERROR_STATUS, type ErrorCode } from './error-answer.ts'

/** Checks all that every error answer has in common, and gives back its message. */
export function expectError(answer: Answer, code: ErrorCode): string {
  expect(`${answer.status} ${answer.text}`).toContain(code)
  expect(answer.status).toBe(ERROR_STATUS[code])
  return expectErrorBody(answer)
}

/** The same for an answer whose code does not matter: any code, as long as it fits the status. */
export function expectErrorBody(answer: Answer): string {
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)))
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['x-request-id']).toMatch(/^[\x20-\x7e]{1,128}$/)
  const body = JSON.parse(answer.text)
  expect(Object.keys(body).sort()).toEqual(['code', 'message', 'status'])
  expect(body.status).toBe(answer.status)
  expect(ERROR_STATUS[body.code as ErrorCode]).toBe(answer.status)
  expect(body.message).toEqual(expect.any(String))
  expect(body.message).not.toBe('')
  return body.message
}

/** For any answer to any request: no fault of ours, and an error body where it is an error. */
export function expectNoFault(answer: Answer): void {
  expect(answer.status, answer.text).toBeLessThan(500)
  if (answer.status >= 400) expectErrorBody(answer)
}
