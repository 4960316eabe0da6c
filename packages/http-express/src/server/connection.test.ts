import { createMemoryPets } from '@pet-store/domain/memory'
import { expect, it, onTestFinished, vi } from 'vitest'
import { GET, GOOD_POST, HOST, KEY, PET, POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'
import { AdmissionQueue } from './admission-queue.ts'

/** A server on which adding a pet takes a while, as on a database; `release` ends that of a held one. */
async function startSlowServer(isHeld = false) {
  const pets = createMemoryPets()
  const adding = { running: 0, most: 0, release: () => {} }
  const released = new Promise<void>((resolve) => {
    adding.release = resolve
  })
  const add: typeof pets.add = async (pet) => {
    adding.running += 1
    adding.most = Math.max(adding.most, adding.running)
    await (isHeld ? released : new Promise((resolve) => setTimeout(resolve, 10)))
    adding.running -= 1
    return pets.add(pet)
  }
  const server = await startTestServer({ repository: { ...pets, add } })
  return { server, adding, stored: async () => (await pets.list({ limit: 1000 })).length }
}

const BROKEN_CHUNK = 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'

it.each([
  ['a POST', `${POST}${BROKEN_CHUNK}`],
  ['a request to an unknown path', `POST /v1/nowhere HTTP/1.1\r\n${HOST}${KEY}${BROKEN_CHUNK}`],
  ['a method that is not possible', `PUT /v1/pets HTTP/1.1\r\n${HOST}${KEY}${BROKEN_CHUNK}`],
  ['a request without a key', `POST /v1/pets HTTP/1.1\r\n${HOST}${BROKEN_CHUNK}`],
  ['a header that is invalid', `${GET}X Y: a\r\n\r\n`],
])('sends the 201 before the 400 of %s that is broken in the same packet', async (_name, broken) => {
  const { server, stored } = await startSlowServer()
  const connection = server.connect().write(`${GOOD_POST}${broken}`)
  expect((await connection.response()).status).toBe(201)
  expectError(await connection.response(), 'invalid_request')
  expect(await connection.closed()).toBe(0)
  expect(await stored()).toBe(1)
})

it.each([
  ['a missing Host', `POST /v1/pets HTTP/1.1\r\n${KEY}Content-Length: 0\r\n\r\n`, 'invalid_request'],
  ['an unknown expectation', `${POST}Expect: tea\r\nContent-Length: 0\r\n\r\n`, 'expectation_failed'],
  ['an unread body', `POST /v1/pets HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{}`, 'unauthorized'],
] as const)('handles no request after a response that closes the connection: %s', async (_name, first, code) => {
  const { server, stored } = await startSlowServer()
  const connection = server.connect().write(`${first}${GOOD_POST}`)
  const response = await connection.response()
  expectError(response, code)
  expect(response.headers['connection']).toBe('close')
  expect(await connection.closed()).toBe(0)
  // Long enough for a pet to be added.
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await stored()).toBe(0)
})

it('handles no request after one with `Connection: close`', async () => {
  const { server, stored } = await startSlowServer()
  const closing = GOOD_POST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
  const connection = server.connect().write(`${closing}${GOOD_POST}`)
  expect((await connection.response()).status).toBe(201)
  expect(await connection.closed()).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await stored()).toBe(1)
})

it('handles the requests of a connection one after another', async () => {
  const { server, adding } = await startSlowServer()
  const connection = server.connect().write(GOOD_POST.repeat(5))
  for (let id = 1; id <= 5; id += 1) expect((await connection.response()).text).toContain(`"id":${id},`)
  expect(adding.most).toBe(1)
  connection.end()
})

it('responds to everything that a stopping server has received, and closes with the last response', async () => {
  const { server, adding, stored } = await startSlowServer(true)
  const connection = server.connect().write(GOOD_POST.repeat(3))
  await expect.poll(() => adding.running).toBe(1)
  const stopped = server.shutDown()
  setTimeout(adding.release, 50)
  const responses = [await connection.response(), await connection.response(), await connection.response()]
  expect(responses.map(({ status, headers }) => [status, headers['connection']])).toEqual([
    [201, 'keep-alive'],
    [201, 'keep-alive'],
    [201, 'close'],
  ])
  connection.write(GOOD_POST)
  expect(await connection.closed()).toBe(0)
  await stopped
  expect(await stored()).toBe(3)
  expect(server.log.requests).toHaveLength(3)
})

it('sends the responses to a client that closes its side after the requests', async () => {
  const { server } = await startSlowServer()
  const connection = server.connect().write(`${GOOD_POST}${GOOD_POST}`)
  connection.end()
  expect((await connection.response()).text).toContain('"id":1,')
  expect((await connection.response()).text).toContain('"id":2,')
  expect(await connection.closed()).toBe(0)
})

it('sends the 400 of a broken request after the responses before it, even if the client has closed its side', async () => {
  const { server } = await startSlowServer()
  for (const broken of [
    `${GET}X Y: a\r\n\r\n`,
    `${POST}${BROKEN_CHUNK}`,
    `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
  ]) {
    const connection = server.connect().write(`${GOOD_POST}${GOOD_POST}${broken}`)
    connection.end()
    expect((await connection.response()).status).toBe(201)
    expect((await connection.response()).status).toBe(201)
    expectError(await connection.response(), 'invalid_request')
    expect(await connection.closed()).toBe(0)
  }
})

it('does not read on while requests wait, and responds to all of them in the end', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const tokenCheck = () => released.then(() => ({ keyId: 'test', scopes: ['pets:read'] as const }))
  const server = await startTestServer({ tokenCheck })
  const COUNT = 1_500
  // More than the buffers of the system hold.
  const connection = server.connect().write(`${GET}X: ${'x'.repeat(15_000)}\r\n\r\n`.repeat(COUNT))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(connection.unsent).toBeGreaterThan(0)
  release()
  for (let index = 0; index < COUNT; index += 1) expect((await connection.response()).status).toBe(200)
  expect(connection.unsent).toBe(0)
  connection.end()
})

it('handles no further request of a connection, pipelined or not, until the admission queue lets it be read on', async () => {
  const admit: (() => void)[] = []
  vi.spyOn(AdmissionQueue.prototype, 'mayReadOn').mockImplementation((readOn) => {
    admit.push(readOn)
    return false
  })
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  const server = await startTestServer()
  const connection = server.connect().write(`${GET}\r\n`.repeat(2))
  for (let handled = 1; handled <= 4; handled += 1) {
    expect((await connection.response()).status).toBe(200)
    if (handled > 1) connection.write(`${GET}\r\n`)
    await expect.poll(() => admit.length).toBe(1)
    // Long enough for the next one to be handled.
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(server.log.requests).toHaveLength(handled)
    admit.shift()?.()
  }
  connection.end()
})

it('lets a POST of which only a part has arrived finish while the server stops', async () => {
  const { server, stored } = await startSlowServer()
  const head = `${POST}Content-Length: ${PET.length}\r\nExpect: 100-continue\r\n\r\n`
  const connection = server.connect().write(head)
  await expect.poll(() => connection.continues).toBe(1)
  connection.write(PET.slice(0, -5))
  const stopped = server.shutDown()
  connection.write(PET.slice(-5))
  const response = await connection.response()
  expect([response.status, response.headers['connection']]).toEqual([201, 'close'])
  await stopped
  expect(await stored()).toBe(1)
})

it('closes connections beyond their maximum number at once, and accepts new ones when others have closed', async () => {
  const server = await startTestServer({ limits: { maxConnections: 2 } })
  const connections = [server.connect(), server.connect()]
  for (const connection of connections) expect((await connection.write(`${GET}\r\n`).response()).status).toBe(200)
  expect(await server.connect().write(`${GET}\r\n`).closed()).toBe(0)
  connections[0]?.end()
  await expect.poll(() => server.connections()).toBe(1)
  expect((await server.send({})).status).toBe(200)
  connections[1]?.end()
})
