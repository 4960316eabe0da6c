import type { RequestEntry } from '@pet-store/http-express'
import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { requestLine } from './request-line.ts'

const WHOLE: RequestEntry = {
  requestId: '0d5f0a1e-7a51-4a0c-9f0c-7a2f8e6d1c2b',
  method: 'GET',
  route: '/v1/pets/{petId}',
  status: 200,
  durationMs: 1.234,
  keyId: 'kiosk',
  clientAddress: '127.0.0.1',
  isComplete: true,
}

/** What pino writes. */
function pinoLine(entry: RequestEntry): string {
  let written = ''
  const options = { base: { pid: 1, hostname: 'host' }, timestamp: () => ',"time":"now"' }
  const output = {
    write(line: string) {
      written = line
    },
  }
  pino(options, output).info(entry, 'request')
  return written
}

const HEAD = '{"level":30,"time":"now","pid":1,"hostname":"host"'

describe('The line of a request', () => {
  it.each([
    ['whole', WHOLE],
    ['of a request that could not be read', { requestId: 'r', status: 400, durationMs: 0, isComplete: true }],
    ['of an unknown path', { ...WHOLE, route: undefined, keyId: undefined, clientAddress: undefined }],
    ['whose id has quotes', { ...WHOLE, requestId: '"a\\b"', keyId: 'tea "pot"', clientAddress: '"\u0007\u2028é' }],
    ['of an answer that broke off', { ...WHOLE, isComplete: false }],
  ])('is the one that pino would write: %s', (_, entry) => {
    expect(requestLine(HEAD, entry)).toBe(pinoLine(entry))
  })

  it('tells durations to the microsecond', () => {
    expect(JSON.parse(requestLine(HEAD, { ...WHOLE, durationMs: 12.345678901 }))).toMatchObject({ durationMs: 12.346 })
  })
})
