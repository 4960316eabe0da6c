import type { Cancellation } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { expect, it, vi } from 'vitest'
import { GOOD_POST } from '../testing/broken-requests.test-support.ts'
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
  await vi.waitFor(() => expect(held.cancellations).toHaveLength(2))

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
  await vi.waitFor(() => expect(held.cancellations).toHaveLength(1))
  expect(held.cancellations[0]?.aborted).toBe(false)
  connection.reset()
  await vi.waitFor(() => expect(held.cancellations[0]?.aborted).toBe(true))
  expect((await server.send({})).status).toBe(200)
})
