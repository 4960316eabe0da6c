import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPetStoreClient } from './create-pet-store-client.ts'
import { PetStoreError, type PetStoreErrorDetails } from './pet-store-error.ts'
import { readRetryAfter, withRetries } from './retry.ts'
import { useFastTimers } from './testing/fast-timers.test-support.ts'
import { API_KEY, startService } from './testing/start-service.test-support.ts'
import {
  breakMidway,
  error,
  html,
  json,
  neverRespond,
  rejectionOf,
  startStub,
} from './testing/start-stub.test-support.ts'

/** The delays between attempts that all fail for this reason. */
async function waitsAfter(
  details: PetStoreErrorDetails,
  { code = 'any', retries = 6, random = 0.5 } = {},
) {
  const waits: number[] = []
  vi.spyOn(Math, 'random').mockReturnValue(random)
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((resolve: () => void, delayMs: number) => {
    waits.push(delayMs)
    resolve()
  }) as typeof setTimeout)
  const failure = new PetStoreError(code, 'It failed.', details)
  const attempt = vi.fn(() => Promise.reject(failure))
  await expect(withRetries(attempt, { retries })).rejects.toBe(failure)
  expect(attempt).toHaveBeenCalledTimes(waits.length + 1)
  return waits
}

afterEach(() => void vi.restoreAllMocks())

describe('the delay before a retry', () => {
  it('the delay of a retry is half to all of a limit that doubles up to 8 seconds', async () => {
    expect(await waitsAfter({ status: 503 }, { random: 0 })).toEqual([
      250, 500, 1000, 2000, 4000, 4000,
    ])
    expect(await waitsAfter({ status: 503 }, { random: 0.5 })).toEqual([
      375, 750, 1500, 3000, 6000, 6000,
    ])
  })

  it('a retry waits for Retry-After, and is not made if that is over 30 seconds', async () => {
    expect(await waitsAfter({ status: 429, retryAfterMs: 7000 }, { retries: 2 })).toEqual([
      7375, 7750,
    ])
    expect(await waitsAfter({ status: 429, retryAfterMs: 30_000 }, { retries: 1 })).toEqual([
      30_375,
    ])
    expect(await waitsAfter({ status: 503, retryAfterMs: 30_001 })).toEqual([])
  })
})

describe('retrying', () => {
  it.each([
    ...[408, 429, 502, 503, 504].map((status) => ({ status, code: 'any', retried: 3 })),
    ...['connection_failed', 'timeout'].map((code) => ({ status: undefined, code, retried: 3 })),
    // An error response whose code is one of the client.
    { status: 400, code: 'timeout', retried: 0 },
    ...[undefined, 200, 301, 400, 401, 403, 404, 410, 422, 500, 501].map((status) => ({
      status,
      code: 'any',
      retried: 0,
    })),
  ])('a call retries $retried times after $status $code', async ({ status, code, retried }) => {
    expect(await waitsAfter({ status }, { code, retries: 3 })).toHaveLength(retried)
  })

  it('a call does not retry after an error that is not a PetStoreError', async () => {
    const bug = new TypeError('A bug.')
    const attempt = vi.fn(() => Promise.reject(bug))
    await expect(withRetries(attempt, { retries: 5 })).rejects.toBe(bug)
    expect(attempt).toHaveBeenCalledTimes(1)
  })
})

describe('Retry-After', () => {
  const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT')

  it.each<readonly [string | null, number | undefined]>([
    ['0', 0],
    ['120', 120_000],
    ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
    ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
    ['Wednesday, 21-Oct-26 07:28:30 GMT', 30_000],
    ...[null, '', '-1', '1.5', 'soon', 'GMT', '21 Oct 2026'].map(
      (header) => [header, undefined] as const,
    ),
  ])('readRetryAfter reads %j as %j', (header, wait) => {
    expect(readRetryAfter(header, now)).toBe(wait)
  })
})

describe('over a real connection', () => {
  beforeEach(useFastTimers)

  it.each([
    ['503 of the service', error(503, 'service_unavailable', { 'Retry-After': '0' })],
    ['502 of a proxy', html(502)],
    ['a broken connection', breakMidway],
    ['a response that is too late', neverRespond],
  ])('a call retries after %s', async (_what, failure) => {
    const stub = await startStub(failure, failure, json(200, '[]'))
    expect(
      await createPetStoreClient({ baseUrl: stub.baseUrl, timeoutMs: 10_000 }).listPets(),
    ).toEqual({ pets: [] })
    expect(stub.requests).toHaveLength(3)
  })

  it.each([
    [
      'after the last retry',
      6,
      {},
      error(503, 'service_unavailable', { 'Retry-After': '0' }),
      { retryAfterMs: 0 },
    ],
    [
      'after one attempt with retries: 0',
      1,
      { retries: 0 },
      breakMidway,
      { code: 'connection_failed' },
    ],
    [
      'instead of waiting for long',
      1,
      {},
      error(429, 'rate_limited', { 'Retry-After': '3600' }),
      { code: 'rate_limited', retryAfterMs: 3_600_000 },
    ],
  ])('a call that always fails rejects %s', async (_when, attempts, options, response, failure) => {
    const stub = await startStub(response)
    const call = createPetStoreClient({ baseUrl: stub.baseUrl, ...options }).listPets()
    expect(await rejectionOf(call)).toMatchObject(failure)
    expect(stub.requests).toHaveLength(attempts)
  })

  it('createPet sends one idempotency key in all its attempts', async () => {
    const added = json(201, '{"id":1,"name":"Rex","categoryId":1}')
    const stub = await startStub(breakMidway, added)
    const client = createPetStoreClient({ baseUrl: stub.baseUrl })
    for (const _ of [1, 2]) await client.createPet({ name: 'Rex', categoryId: 1 })
    const [first, second, third] = stub.requests.map(({ headers }) => headers['idempotency-key'])
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    for (const { body } of stub.requests) expect(body).toBe('{"name":"Rex","categoryId":1}')
  })

  it('createPet creates one pet when the first response is lost', async () => {
    let isLost = true
    const { baseUrl, pets } = await startService({
      around: (app) => (req, res) => {
        if (isLost) res.end = () => res.destroy()
        isLost = false
        app(req, res)
      },
    })
    const client = createPetStoreClient({ baseUrl, apiKey: API_KEY })
    const rex = await client.createPet({ name: 'Rex', categoryId: 1 })
    expect(isLost).toBe(false)
    expect(await pets.list({ limit: 100 })).toEqual([rex])
  })
})
