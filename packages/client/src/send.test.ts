import { beforeEach, describe, expect, it } from 'vitest'
import type { AttemptOptions, Call, Operation } from './call.ts'
import { send } from './send.ts'
import { useFastTimers } from './testing/fast-timers.test-support.ts'
import {
  breakMidway,
  error,
  json,
  neverRespond,
  rejectionOf,
  type StubResponse,
  startStub,
} from './testing/start-stub.test-support.ts'

const OPTIONS: AttemptOptions = {
  apiKey: undefined,
  fetch,
  timeoutMs: 10_000,
  headers: new Headers(),
  hooks: {},
}

/** Sends a request of an operation to a server with these responses. */
async function sendTo(
  responses: [StubResponse, ...StubResponse[]],
  operation: Operation,
  rest: Partial<Call<string>> = {},
) {
  const { baseUrl, requests } = await startStub(...responses)
  const call = { operation, url: `${baseUrl}/pets/1`, read: () => 'done', ...rest }
  return { requests, result: send(OPTIONS, call, 3) }
}

beforeEach(useFastTimers)

describe('an operation that is not idempotent', () => {
  const operation: Operation = { method: 'PATCH', successStatus: 200, isIdempotent: false }

  it.each([
    ['a broken connection', breakMidway, 'connection_failed'],
    ['a timeout', neverRespond, 'timeout'],
    ['503', error(503, 'service_unavailable'), 'service_unavailable'],
  ])(
    'an operation without an idempotency key is sent once, and rejects after %s',
    async (_what, failure, code) => {
      const { requests, result } = await sendTo([failure, json(200, '{}')], operation)
      expect((await rejectionOf(result)).code).toBe(code)
      expect(requests).toHaveLength(1)
    },
  )

  it('an operation with an idempotency key is repeated', async () => {
    const responses: [StubResponse, StubResponse] = [breakMidway, json(200, '{}')]
    const { requests, result } = await sendTo(responses, operation, { idempotencyKey: 'one' })
    expect(await result).toBe('done')
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['one', 'one'])
  })
})

describe('an operation whose doneStatus is 404', () => {
  const operation: Operation = {
    method: 'DELETE',
    successStatus: 204,
    isIdempotent: true,
    doneStatus: 404,
  }
  const notFound = error(404, 'not_found')

  it.each([
    ['a broken connection', breakMidway],
    ['a timeout', neverRespond],
    ['503', error(503, 'service_unavailable')],
  ])(
    'a deletion resolves on 404 after %s, since that attempt may have deleted it',
    async (_what, failure) => {
      const rejected = error(429, 'rate_limited', { 'Retry-After': '0' })
      const { requests, result } = await sendTo([failure, rejected, notFound], operation)
      expect(await result).toBe('done')
      expect(requests).toHaveLength(3)
    },
  )

  it.each([
    ['the first attempt', 1, [notFound]],
    ['an attempt after 429', 2, [error(429, 'rate_limited', { 'Retry-After': '0' }), notFound]],
    ['an attempt after 408', 2, [error(408, 'request_timeout'), notFound]],
  ] as [string, number, [StubResponse, ...StubResponse[]]][])(
    'a deletion rejects on 404 to %s, since nothing was deleted before',
    async (_what, count, responses) => {
      const { requests, result } = await sendTo(responses, operation)
      expect(await rejectionOf(result)).toMatchObject({ code: 'not_found', status: 404 })
      expect(requests).toHaveLength(count)
    },
  )
})
