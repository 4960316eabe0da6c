import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createPetStoreClient } from './create-pet-store-client.ts'
import { PetStoreError, type PetStoreErrorDetails } from './pet-store-error.ts'
import { randomUuid } from './random-uuid.ts'
import { rejectionOf } from './rejection.test-support.ts'
import { readRetryAfter, withRetries } from './retry.ts'
import { API_KEY, startService } from './start-service.test-support.ts'
import { breakInTheMiddle, error, html, json, startStub, staySilent } from './start-stub.test-support.ts'

/** The waits between attempts that all fail for this reason. */
async function waitsAfter(details: PetStoreErrorDetails, { code = 'any', retries = 6, random = 0.5 } = {}) {
  const waits: number[] = []
  const failure = new PetStoreError(code, 'It failed.', details)
  let attempts = 0
  const call = withRetries(
    async () => {
      attempts += 1
      throw failure
    },
    { retries, random: () => random, sleep: async (milliseconds) => void waits.push(milliseconds) },
  )
  await expect(call).rejects.toBe(failure)
  expect(attempts).toBe(waits.length + 1)
  return waits
}

describe('the wait between two attempts', () => {
  it('is any time from the half to the whole of a limit that doubles, and stops growing', async () => {
    expect(await waitsAfter({ status: 503 }, { random: 0 })).toEqual([250, 500, 1000, 2000, 4000, 4000])
    expect(await waitsAfter({ status: 503 }, { random: 0.5 })).toEqual([375, 750, 1500, 3000, 6000, 6000])
  })

  it('is at least what the service asks for', async () => {
    expect(await waitsAfter({ status: 429, retryAfter: 7000 }, { retries: 2 })).toEqual([7375, 7750])
    expect(await waitsAfter({ status: 429, retryAfter: 30_000 }, { retries: 1 })).toEqual([30_375])
  })

  it('is none where the service asks for more than half a minute: the caller decides', async () => {
    expect(await waitsAfter({ status: 503, retryAfter: 30_001 })).toEqual([])
  })
})

describe('a failure is repeated', () => {
  it.each([429, 502, 503, 504])('when its status is %i', async (status) => {
    expect(await waitsAfter({ status }, { retries: 3 })).toHaveLength(3)
  })

  it.each(['connection_failed', 'timeout'])('when it is %s', async (code) => {
    expect(await waitsAfter({}, { code, retries: 3 })).toHaveLength(3)
  })

  it.each([undefined, 200, 301, 400, 401, 403, 404, 408, 410, 422, 500, 501])(
    'at no other status, such as %s',
    async (status) => {
      expect(await waitsAfter({ status })).toEqual([])
    },
  )

  it('never when it is not of the connection or the service', async () => {
    const fault = new TypeError('A fault of the program.')
    const attempt = vi.fn(() => Promise.reject(fault))
    await expect(withRetries(attempt, { retries: 5, random: () => 0, sleep: async () => {} })).rejects.toBe(fault)
    expect(attempt).toHaveBeenCalledTimes(1)
  })
})

describe('Retry-After', () => {
  const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT')

  it.each([
    ['0', 0],
    ['120', 120_000],
    ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
    ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
    ['Wednesday, 21-Oct-26 07:28:30 GMT', 30_000],
  ])('%s is read', (header, wait) => {
    expect(readRetryAfter(header, now)).toBe(wait)
  })

  it.each([null, '', '-1', '1.5', 'soon', 'GMT', '21 Oct 2026'])('%j asks for nothing', (header) => {
    expect(readRetryAfter(header, now)).toBeUndefined()
  })
})

describe('over a real connection', () => {
  // The waits pass fifty times as fast; connections keep their own time.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const clock = setInterval(() => vi.advanceTimersByTime(250), 5)
    onTestFinished(() => {
      clearInterval(clock)
      vi.useRealTimers()
    })
  })

  it.each([
    ['503 of the service', error(503, 'service_unavailable', { 'Retry-After': '0' })],
    ['429 of the service', error(429, 'rate_limited', { 'Retry-After': '0' })],
    ['502 of a proxy', html(502)],
    ['a broken connection', breakInTheMiddle],
  ])('%s is got over', async (_what, failure) => {
    const stub = await startStub(failure, failure, json(200, '[]'))
    expect(await createPetStoreClient({ baseUrl: stub.baseUrl }).listPets()).toEqual({ pets: [] })
    expect(stub.requests).toHaveLength(3)
  })

  it('an answer that is too late is got over', async () => {
    const stub = await startStub(staySilent, json(200, '[]'))
    expect(await createPetStoreClient({ baseUrl: stub.baseUrl, timeout: 1000 }).listPets()).toEqual({ pets: [] })
  })

  it('attempts come to an end', async () => {
    const stub = await startStub(error(503, 'service_unavailable', { 'Retry-After': '0' }))
    const refused = await rejectionOf(createPetStoreClient({ baseUrl: stub.baseUrl }).listPets())
    expect(refused).toMatchObject({ code: 'service_unavailable', status: 503, retryAfter: 0 })
    expect(stub.requests).toHaveLength(6)
  })

  it('there is one attempt where no retries are wanted', async () => {
    const stub = await startStub(breakInTheMiddle)
    await rejectionOf(createPetStoreClient({ baseUrl: stub.baseUrl, retries: 0 }).listPets())
    expect(stub.requests).toHaveLength(1)
  })

  it('a long wait is told to the caller instead', async () => {
    const stub = await startStub(error(429, 'rate_limited', { 'Retry-After': '3600' }))
    const refused = await rejectionOf(createPetStoreClient({ baseUrl: stub.baseUrl }).listPets())
    expect(refused).toMatchObject({ code: 'rate_limited', retryAfter: 3_600_000 })
    expect(stub.requests).toHaveLength(1)
  })

  it('a creation is repeated under one key, and each creation has its own', async () => {
    const added = json(201, '{"id":1,"name":"Rex","categoryId":1}')
    const stub = await startStub(breakInTheMiddle, added)
    const client = createPetStoreClient({ baseUrl: stub.baseUrl })
    for (const _ of [1, 2]) await client.createPet({ name: 'Rex', categoryId: 1 })
    const [first, second, third] = stub.requests.map(({ headers }) => headers['idempotency-key'])
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    expect(stub.requests.map(({ method, body }) => method + body)).toEqual(
      Array(3).fill('POST{"name":"Rex","categoryId":1}'),
    )
  })

  it('a creation whose answer was lost adds one pet', async () => {
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

it('a random UUID is one, and no two are equal', () => {
  const uuids = Array.from({ length: 200 }, randomUuid)
  for (const uuid of uuids)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(uuids).size).toBe(200)
})
