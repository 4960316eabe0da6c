import { EventEmitter } from 'node:events'
import {
  createApiKeyText,
  createMemoryRateLimiter,
  createStaticKeys,
  hashApiKey,
  SCOPES,
} from '@pet-store/access'
import type { Cancellation } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { HandlerRequest } from '../request/handler.ts'
import { CONTEXT, type HandlerResponse } from '../response/context.ts'
import { GET, GOOD_POST, HOST, KEY, POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import {
  API_KEY,
  startTestServer,
  type TestServerOptions,
} from '../testing/start-test-server.test-support.ts'
import { limitSlots } from './slots.ts'

const PET = '{"name":"Rex","categoryId":1}'
const IDLE = { method: 'GET', headers: {}, complete: true } as HandlerRequest
const OTHER_KEY = createApiKeyText()
const BOTH_KEYS = createStaticKeys([
  { keyId: 'test-key', sha256: hashApiKey(API_KEY) },
  { keyId: 'other-key', sha256: hashApiKey(OTHER_KEY) },
])

/** A server on which adding a pet takes until `release` is called. */
async function startHeldServer(maxConcurrentRequests: number, options: TestServerOptions = {}) {
  const pets = createMemoryPets()
  const held: { release: () => void; cancellations: (Cancellation | undefined)[] } = {
    release: () => {},
    cancellations: [],
  }
  const released = new Promise<void>((resolve) => {
    held.release = resolve
  })
  const add: typeof pets.add = async (pet, cancellation) => {
    held.cancellations.push(cancellation)
    await released
    return pets.add(pet)
  }
  const repository = { ...pets, add, addWithKey: pets.addWithKey }
  const server = await startTestServer({
    repository,
    maxConcurrentRequests,
    tokenCheck: BOTH_KEYS,
    ...options,
  })
  return { server, held }
}

it('requests that wait for a second are rejected, and no others', async () => {
  const { server, held } = await startHeldServer(2)
  const first = [server.post(PET), server.post(PET, { key: OTHER_KEY })]
  await expect.poll(() => held.cancellations).toHaveLength(2)

  const late = Promise.all([
    server.send({}),
    server.post(PET),
    server.post(PET, { headers: { 'Idempotency-Key': 'k' } }),
    server.send({ path: '/v1/nowhere' }),
  ])
  // Neither a request without a key nor one outside the operations waits.
  expectError(await server.send({ key: null }), 'unauthorized')
  for (const path of ['/livez', '/readyz']) expect((await server.send({ path })).status).toBe(200)
  const messages = (await late).map((response) => {
    expect(response.headers['retry-after']).toBe('1')
    return expectError(response, 'service_unavailable')
  })
  expect(messages).toEqual([
    'The service has as many requests under way as it can handle.',
    'The pet was not added. The service has as many requests under way as it can handle.',
    'The service has as many requests under way as it can handle. ' +
      'An earlier request with the same Idempotency-Key may have added the pet: ' +
      'repeat it with that key to find out.',
    'The service has as many requests under way as it can handle.',
  ])
  expect(server.log.internalErrors).toEqual([])

  held.release()
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([201, 201])
  expect((await server.send({})).status).toBe(200)
})

it('requests that wait are handled in their order, once others have ended', async () => {
  const { server, held } = await startHeldServer(1)
  const first = server.post(PET)
  await expect.poll(() => held.cancellations).toHaveLength(1)
  const waiting = [1, 2, 3].map(() => server.connect().write(GOOD_POST))
  await expect.poll(() => server.log.begun).toBe(4)
  // Its client leaves, so it gets no slot.
  waiting[1]?.reset()
  await expect.poll(() => server.log.requests).toHaveLength(1)
  held.release()
  expect((await first).text).toContain('"id":1,')
  expect((await waiting[0]?.response())?.text).toContain('"id":2,')
  expect((await waiting[2]?.response())?.text).toContain('"id":3,')
  for (const connection of waiting) connection.end()
})

it('requests beyond 4,000 that wait are rejected without waiting, 50 every 10 ms', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const check = limitSlots(1)
  const rejected: string[] = []
  const arrive = (name: string) => {
    const res = new EventEmitter() as HandlerResponse
    Object.assign(res, { [CONTEXT]: { req: IDLE } })
    const pending = check(IDLE, res)
    pending?.catch(() => rejected.push(name))
  }
  arrive('under way')
  for (let count = 0; count < 4_000; count += 1) arrive('waiting')
  for (let count = 0; count < 60; count += 1) arrive('excess')
  await vi.advanceTimersByTimeAsync(10)
  expect(rejected).toEqual(Array(50).fill('excess'))
  await vi.advanceTimersByTimeAsync(980)
  expect(rejected).toEqual(Array(60).fill('excess'))
  await vi.advanceTimersByTimeAsync(10)
  expect(rejected.slice(60)).toEqual(Array(50).fill('waiting'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(rejected).toHaveLength(4_060)
})

it('a slot is taken until the client has gone, which cancels its write', async () => {
  const { server, held } = await startHeldServer(1)
  const connection = server.connect().write(GOOD_POST)
  await expect.poll(() => held.cancellations).toHaveLength(1)
  expect(held.cancellations[0]?.aborted).toBe(false)
  connection.reset()
  await expect.poll(() => held.cancellations[0]?.aborted).toBe(true)
  expect((await server.send({})).status).toBe(200)
})

it('a request takes no slot if its client leaves while its key is looked up', async () => {
  let endLookUp = () => {}
  const lookedUp = new Promise<void>((resolve) => {
    endLookUp = resolve
  })
  const tokenCheck = async () => {
    await lookedUp
    return { keyId: 'test-key', scopes: SCOPES }
  }
  const server = await startTestServer({ tokenCheck, maxConcurrentRequests: 1 })
  const gone = server.connect().write(`${GET}\r\n`)
  await expect.poll(() => server.log.begun).toBe(1)
  gone.reset()
  await expect.poll(() => server.log.requests).toHaveLength(1)
  endLookUp()
  expect((await server.send({})).status).toBe(200)
})

it('a response that its client does not read keeps its slot', async () => {
  const long = [{ id: 1n, name: 'x'.repeat(20_000_000), categoryId: 1n }]
  const repository = { ...createMemoryPets(), list: async () => long }
  const server = await startTestServer({ repository, maxConcurrentRequests: 1 })
  const slow = server.connect().pause().write(`${GET}\r\n`)
  await expect.poll(() => server.log.begun).toBe(1)
  expectError(await server.send({ path: '/v1/pets/1' }), 'service_unavailable')
  slow.reset()
  expectError(await server.send({ path: '/v1/pets/1' }), 'not_found')
})

it('one key takes four fifths of the slots, so that another key finds one free', async () => {
  const { server, held } = await startHeldServer(5)
  const busy = Array.from({ length: 6 }, () => server.post(PET))
  await expect.poll(() => held.cancellations).toHaveLength(4)
  await expect.poll(() => server.log.begun).toBe(6)
  expect((await server.send({ key: OTHER_KEY })).status).toBe(200)
  expect(held.cancellations).toHaveLength(4)
  held.release()
  expect((await Promise.all(busy)).map(({ status }) => status)).toEqual(Array(6).fill(201))
})

it('a free slot goes to each key that waits in turn', async () => {
  const started: string[] = []
  const check = limitSlots(1)
  const responses = ['first', 'a', 'a', 'a', 'b'].map((keyId) => {
    const res = new EventEmitter() as HandlerResponse
    Object.assign(res, { [CONTEXT]: { req: IDLE, verifiedKey: { keyId, scopes: [] } } })
    void Promise.resolve(check(IDLE, res)).then(() => started.push(keyId))
    return res
  })
  for (const res of responses) {
    await new Promise(setImmediate)
    res.emit('close')
  }
  expect(started).toEqual(['first', 'a', 'b'])
})

it('a request over the rate of its key takes no slot', async () => {
  const limit = { requests: 1, windowMs: 60_000 }
  const rateLimiting = { limit, limiter: createMemoryRateLimiter(limit) }
  const { server, held } = await startHeldServer(1, { rateLimiting })
  const first = server.post(PET)
  await expect.poll(() => held.cancellations).toHaveLength(1)
  // It does not wait for the slot, which is taken.
  expectError(await server.send({}), 'rate_limited')
  held.release()
  expect((await first).status).toBe(201)
})

it('a slot is free once its response was sent, even while its client is half open', async () => {
  const server = await startTestServer({ maxConcurrentRequests: 1 })
  const open = [1, 2, 3].map(() => server.connect())
  for (const connection of open) {
    connection.write(
      `POST /v1/pets HTTP/1.1\r\n${HOST}${KEY}Content-Type: text/plain\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`,
    )
    expectError(await connection.response(), 'unsupported_media_type')
  }
  // Each response was sent, and its connection stays open for a second.
  expect(await server.connections()).toBe(3)
  expect(server.log.requests).toHaveLength(3)
  expect((await server.send({})).status).toBe(200)
  for (const connection of open) connection.end()
})

it('a request waits with its headers only: with a body in chunks it is rejected', async () => {
  const { server, held } = await startHeldServer(1)
  const first = server.post(PET)
  await expect.poll(() => held.cancellations).toHaveLength(1)
  const waiting = server.connect().write(`${POST}Content-Length: ${PET.length}\r\n\r\n{`)
  await expect.poll(() => server.log.begun).toBe(2)
  const chunked = server.connect().write(`${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`)
  expectError(await chunked.response(), 'service_unavailable')
  expect(server.log.requests).toHaveLength(1)
  held.release()
  expect((await first).status).toBe(201)
  waiting.write(PET.slice(1))
  expect((await waiting.response()).status).toBe(201)
  for (const connection of [waiting, chunked]) connection.end()
})
