import { EventEmitter } from 'node:events'
import { SCOPES } from '@pet-store/access'
import type { Cancellation } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { expect, it, onTestFinished, vi } from 'vitest'
import { CONTEXT, type HandlerResponse } from '../response/context.ts'
import { GET, GOOD_POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'
import type { HandlerRequest } from './handler.ts'
import { limitSlots } from './slots.ts'

const PET = '{"name":"Rex","categoryId":1}'

/** A server on which adding a pet takes until `release` is called. */
async function startHeldServer(maxConcurrentRequests: number) {
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
  const server = await startTestServer({ repository, maxConcurrentRequests })
  return { server, held }
}

it('rejects requests that wait for a second, and no others', async () => {
  const { server, held } = await startHeldServer(2)
  const first = [server.post(PET), server.post(PET)]
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
    'The pet was not added: the service has as many requests under way as it can handle.',
    'The service has as many requests under way as it can handle. An earlier request with the same Idempotency-Key may have added the pet: repeat it with that key to find out.',
    'The service has as many requests under way as it can handle.',
  ])
  expect(server.log.internalErrors).toEqual([])

  held.release()
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([201, 201])
  expect((await server.send({})).status).toBe(200)
})

it('handles requests that wait in their order, once others have ended', async () => {
  const { server, held } = await startHeldServer(1)
  const first = server.post(PET)
  await expect.poll(() => held.cancellations).toHaveLength(1)
  const waiting = [1, 2, 3].map(() => server.connect().write(GOOD_POST))
  await expect.poll(() => server.log.begun).toBe(4)
  // This one does not take its turn.
  waiting[1]?.reset()
  await expect.poll(() => server.log.requests).toHaveLength(1)
  held.release()
  expect((await first).text).toContain('"id":1,')
  expect((await waiting[0]?.response())?.text).toContain('"id":2,')
  expect((await waiting[2]?.response())?.text).toContain('"id":3,')
  for (const connection of waiting) connection.end()
})

it('rejects at once what comes when 4,000 requests wait, and never many at a time', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const check = limitSlots(1)
  const rejected: string[] = []
  const arrive = (name: string) => {
    const req = { method: 'GET', headers: {} } as HandlerRequest
    const res = new EventEmitter() as HandlerResponse
    Object.assign(res, { [CONTEXT]: { req } })
    const pending = check(req, res)
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

it('counts a request until its response has left or its client has gone, which cancels its write', async () => {
  const { server, held } = await startHeldServer(1)
  const connection = server.connect().write(GOOD_POST)
  await expect.poll(() => held.cancellations).toHaveLength(1)
  expect(held.cancellations[0]?.aborted).toBe(false)
  connection.reset()
  await expect.poll(() => held.cancellations[0]?.aborted).toBe(true)
  expect((await server.send({})).status).toBe(200)
})

it('does not count a request whose client has gone while its key was looked up', async () => {
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

it('counts responses that their clients do not read', async () => {
  const long = [{ id: 1n, name: 'x'.repeat(20_000_000), categoryId: 1n }]
  const repository = { ...createMemoryPets(), list: async () => long }
  const server = await startTestServer({ repository, maxConcurrentRequests: 1 })
  const slow = server.connect().pause().write(`${GET}\r\n`)
  await expect.poll(() => server.log.begun).toBe(1)
  expectError(await server.send({ path: '/v1/pets/1' }), 'service_unavailable')
  slow.reset()
  expectError(await server.send({ path: '/v1/pets/1' }), 'not_found')
})
