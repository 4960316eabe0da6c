import { once } from 'node:events'
import { RawConnection } from '@pet-store/testing'
import { expect, it, vi } from 'vitest'
import { GET, GOOD_POST, HOST, PET, POST } from '../testing/broken-requests.test-support.ts'
import { aWhile, longList, startSlowServer } from '../testing/slow-server.test-support.ts'
import { createPetServer } from './create-pet-server.ts'

it('a stopping server responds to busy clients, and stores no pet without a response', async () => {
  const { server, stored } = await startSlowServer()
  const clients = Array.from({ length: 4 }, () => server.connect())
  let responses = 0
  const busy = clients.map(async (connection) => {
    for (;;) {
      const response = await connection
        .write(GOOD_POST.repeat(responses % 2 === 0 ? 1 : 3))
        .nextResponse()
      if (response === undefined) return
      responses += 1
      if (response.headers['connection'] === 'close') return
    }
  })
  await expect.poll(() => responses).toBeGreaterThan(0)
  await server.shutDown()
  await Promise.all(busy)
  expect(await stored()).toBe(responses)
})

it('a POST of which only a part has arrived finishes while the server stops', async () => {
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

it('a stopping server closes idle connections, and waits for responses to leave', async () => {
  const { server } = await startSlowServer({ repository: longList })
  const idle = server.connect()
  const late = server.connect()
  const slow = server.connect().pause().write(`${GET}\r\n`)
  await expect.poll(() => server.connections()).toBe(3)
  await aWhile()
  const stopped = server.shutDown()
  const { port } = new URL(server.url)
  const connects = () =>
    RawConnection.open(Number(port)).then(
      () => true,
      () => false,
    )
  await expect.poll(connects).toBe(false)
  expect(
    (await late.write(`GET /livez HTTP/1.1\r\n${HOST}\r\n`).response()).headers['connection'],
  ).toBe('close')
  expect(await late.closed()).toBe(0)
  expect(await idle.closed()).toBe(0)
  slow.socket.resume()
  const { text, headers } = await slow.response()
  expect(text).toHaveLength(Number(headers['content-length']))
  await stopped
})

it('a stopping server does not wait for the body of a request that has its response', async () => {
  const take = () => ({ isAllowed: false, remaining: 0, resetMs: 1000 })
  const rateLimiting = { limit: { requests: 1, windowMs: 1000 }, limiter: { take } }
  // The time limit of a request would otherwise end the wait.
  const { server } = await startSlowServer({
    rateLimiting,
    limits: { requestTimeoutMs: 3_600_000 },
  })
  const connection = server.connect().write(`${POST}Content-Length: 5000\r\n\r\n{`)
  expect((await connection.response()).headers['connection']).toBe('keep-alive')
  await server.shutDown()
  expect(await connection.closed()).toBe(0)
})

it('a stopping server serves the connections that wait to be accepted', async () => {
  const { server } = await startSlowServer()
  const request = `GET /v1/pets HTTP/1.1\r\n${HOST}\r\n`
  // The system has accepted them before the event loop looks for the first one.
  const waiting = Array.from({ length: 30 }, () => server.connect().write(request))
  const stopped = server.shutDown()
  const responses = await Promise.all(waiting.map((connection) => connection.response()))
  expect(responses.map(({ status }) => status)).toEqual(waiting.map(() => 401))
  await stopped
})

it('Node no longer checks the connections of a stopped server', async () => {
  const server = createPetServer(
    () => {},
    { request() {}, internalError() {} },
    { checkIntervalMs: 1 },
  )
  await once(server.listen(0), 'listening')
  await server.shutDown()
  await new Promise((resolve) => setTimeout(resolve, 50))
  const check = vi.fn()
  Object.defineProperty(server, 'headersTimeout', { get: check })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(check).not.toHaveBeenCalled()
})
