import type { Cancellation } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { expect, it } from 'vitest'
import { GET, GOOD_POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

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
  let verified = 0
  const tokenCheck = () => {
    verified += 1
    return { keyId: 'test', scopes: ['pets:read', 'pets:write'] as const }
  }
  const server = await startTestServer({ repository: { ...pets, add }, tokenCheck, maxConcurrentRequests })
  return { server, held, verified: () => verified }
}

it('rejects requests beyond the bound with 503 before any work, and serves them again when others have ended', async () => {
  const { server, held, verified } = await startHeldServer(2)
  const first = [server.post(PET), server.post(PET)]
  await expect.poll(() => held.cancellations).toHaveLength(2)

  const read = await server.send({})
  expectError(read, 'service_unavailable')
  expect(read.headers['retry-after']).toBe('1')
  expect(expectError(await server.post(PET), 'service_unavailable')).toContain('The pet was not added')
  expectError(await server.send({ path: '/v1/nowhere' }), 'service_unavailable')
  expect(verified()).toBe(2)
  for (const path of ['/livez', '/readyz']) expect((await server.send({ path })).status).toBe(200)
  expect(server.log.internalErrors).toEqual([])

  held.release()
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([201, 201])
  expect((await server.send({})).status).toBe(200)
})

it('frees the place of a request whose client has left, and cancels its write', async () => {
  const { server, held } = await startHeldServer(1)
  const connection = server.connect().write(GOOD_POST)
  await expect.poll(() => held.cancellations).toHaveLength(1)
  expect(held.cancellations[0]?.aborted).toBe(false)
  connection.reset()
  await expect.poll(() => held.cancellations[0]?.aborted).toBe(true)
  expect((await server.send({})).status).toBe(200)
})

it('responds in order to clients that repeat at once, each request in the end', async () => {
  const { server, held } = await startHeldServer(1)
  const first = server.post(PET)
  await expect.poll(() => held.cancellations).toHaveLength(1)
  // More than pass without waiting.
  const COUNT = 100
  const connections = Array.from({ length: 8 }, (_, client) => server.connect().write(numbered(client, COUNT)))
  const good = server.connect().write(`${GET}\r\n`)
  expectError(await good.response(), 'service_unavailable')
  for (const [client, connection] of connections.entries()) {
    for (let number = 0; number < COUNT; number += 1) {
      const { status, headers } = await connection.response()
      expect([status, headers['x-request-id'], headers['retry-after']]).toEqual([503, `${client}-${number}`, '1'])
    }
    connection.end()
  }
  held.release()
  expect((await first).status).toBe(201)
  good.write(`${GET}\r\n`)
  expect((await good.response()).status).toBe(200)
  good.end()
})

it('responds to repeated requests that wait when the server stops', async () => {
  const { server, held } = await startHeldServer(1)
  const first = server.post(PET)
  await expect.poll(() => held.cancellations).toHaveLength(1)
  const connections = Array.from({ length: 40 }, (_, client) => server.connect().write(numbered(client, 16)))
  await Promise.all(connections.map((connection) => connection.response()))
  const stopped = server.shutDown()
  for (const connection of connections) {
    for (let number = 1; number < 16; number += 1) expectError(await connection.response(), 'service_unavailable')
    expect(await connection.closed()).toBe(0)
  }
  held.release()
  expect((await first).status).toBe(201)
  await stopped
})

/** Requests for a list, with ids from 0. */
function numbered(client: number, count: number): string {
  return Array.from({ length: count }, (_, number) => `${GET}X-Request-Id: ${client}-${number}\r\n\r\n`).join('')
}
