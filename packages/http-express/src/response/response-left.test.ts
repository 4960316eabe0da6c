import { once } from 'node:events'
import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { SCOPES } from '@pet-store/access'
import { RawConnection } from '@pet-store/testing'
import { expect, it, onTestFinished } from 'vitest'
import { POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'
import { onceLeft } from './response-left.ts'

/** The calls of a listener: `sent` for a response that was sent, `gone` where the client left. */
function listenTo(res: ServerResponse): string[] {
  const calls: string[] = []
  onceLeft(res, (_res, sentAtMs) => calls.push(sentAtMs === undefined ? 'gone' : 'sent'))
  return calls
}

async function serve(listener: RequestListener, version = '1.1'): Promise<RawConnection> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const connection = new RawConnection((server.address() as AddressInfo).port)
  return connection.write(`GET / HTTP/${version}\r\nHost: x\r\n\r\n`)
}

it('a listener is called once for a response that was sent, whatever follows', async () => {
  let calls: string[] = []
  const connection = await serve((_req, res) => {
    calls = listenTo(res)
    res.end('ok')
  })
  expect((await connection.response()).text).toBe('ok')
  connection.reset()
  await expect.poll(() => calls).toEqual(['sent'])
  await setImmediate()
  expect(calls).toEqual(['sent'])
})

it('a listener is called in HTTP/1 for a request line that ends in HTTP/2.0', async () => {
  let calls: string[] = []
  const connection = await serve((_req, res) => {
    calls = listenTo(res)
    res.end('ok')
  }, '2.0')
  expect((await connection.response()).status).toBe(200)
  await expect.poll(() => calls).toEqual(['sent'])
})

it('a listener is called in HTTP/1 for a request to which a middleware adds a stream', async () => {
  let calls: string[] = []
  const connection = await serve((req, res) => {
    calls = listenTo(res)
    Object.assign(req, { stream: {} })
    res.end('ok')
  })
  expect((await connection.response()).text).toBe('ok')
  await expect.poll(() => calls).toEqual(['sent'])
})

it('a listener is called when the client leaves, even one that is added later', async () => {
  let response: ServerResponse | undefined
  let calls: string[] = []
  const connection = await serve((_req, res) => {
    response = res
    calls = listenTo(res)
  })
  await expect.poll(() => response).toBeDefined()
  connection.reset()
  await expect.poll(() => calls).toEqual(['gone'])
  if (response !== undefined) expect(listenTo(response)).toEqual(['gone'])
})

it('a listener that is added after the connection is gone is called at once', async () => {
  let response: ServerResponse | undefined
  const connection = await serve((_req, res) => {
    response = res
  })
  await expect.poll(() => response).toBeDefined()
  connection.reset()
  await expect.poll(() => response?.destroyed).toBe(true)
  if (response !== undefined) expect(listenTo(response)).toEqual(['gone'])
})

it('a listener is called on finish where there is no connection, as with adapters', async () => {
  const res = new ServerResponse(new IncomingMessage(new Socket()))
  const calls = listenTo(res)
  res.emit('finish')
  res.emit('finish')
  expect(calls).toEqual(['sent'])
})

it('clients that leave while a middleware works take no slot, and have a log line', async () => {
  const waiting: (() => void)[] = []
  let isHeld = true
  let checkedKeys = 0
  const server = await startTestServer({
    maxConcurrentRequests: 1,
    tokenCheck: () => {
      checkedKeys += 1
      return { keyId: 'test-key', scopes: SCOPES }
    },
    around: (petApp) => (req, res) => {
      if (isHeld) waiting.push(() => petApp(req, res))
      else petApp(req, res)
    },
  })
  const { post } = server
  const clients = [1, 2, 3].map(() => server.connect().write(`${POST}Content-Length: 2\r\n\r\n{}`))
  await expect.poll(() => waiting).toHaveLength(3)
  for (const client of clients) client.reset()
  await expect.poll(() => server.connections()).toBe(0)
  for (const callApp of waiting) callApp()
  isHeld = false
  expect((await post('{"name":"Rex","categoryId":1}')).status).toBe(201)
  expect(server.log.begun).toBe(4)
  expect(checkedKeys).toBe(1)
  expect(server.log.requests.map(({ isComplete }) => isComplete)).toEqual([
    false,
    false,
    false,
    true,
  ])
})

it('an early error response emits the events that a log around the app waits for', async () => {
  const events: string[] = []
  const server = await startTestServer({
    around: (petApp) => (req, res) => {
      for (const event of ['finish', 'close']) res.on(event, () => events.push(event))
      petApp(req, res)
    },
  })
  const client = server
    .connect()
    .write('POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n')
  expectError(await client.response(), 'unauthorized')
  expect(server.log.requests).toMatchObject([{ status: 401, isComplete: true }])
  client.end()
  await expect.poll(() => events).toEqual(['finish', 'close'])
})
