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

/** What listeners are told of a response: `sent`, or `gone`. */
function follow(res: ServerResponse): string[] {
  const told: string[] = []
  onceLeft(res, (_res, sentAtMs) => told.push(sentAtMs === undefined ? 'gone' : 'sent'))
  return told
}

async function serve(listener: RequestListener): Promise<RawConnection> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const connection = new RawConnection((server.address() as AddressInfo).port)
  return connection.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
}

it('a response that was sent is told once, however many events follow', async () => {
  let told: string[] = []
  const connection = await serve((_req, res) => {
    told = follow(res)
    res.end('ok')
  })
  expect((await connection.response()).text).toBe('ok')
  connection.reset()
  await expect.poll(() => told).toEqual(['sent'])
  await setImmediate()
  expect(told).toEqual(['sent'])
})

it('a response whose client leaves is told as gone, to listeners that come later too', async () => {
  let response: ServerResponse | undefined
  let told: string[] = []
  const connection = await serve((_req, res) => {
    response = res
    told = follow(res)
  })
  await expect.poll(() => response).toBeDefined()
  connection.reset()
  await expect.poll(() => told).toEqual(['gone'])
  if (response !== undefined) expect(follow(response)).toEqual(['gone'])
})

it('a response whose connection is gone before anybody listens is told at once', async () => {
  let response: ServerResponse | undefined
  const connection = await serve((_req, res) => {
    response = res
  })
  await expect.poll(() => response).toBeDefined()
  connection.reset()
  await expect.poll(() => response?.destroyed).toBe(true)
  if (response !== undefined) expect(follow(response)).toEqual(['gone'])
})

it('a response without a connection, as of an adapter, is told when it is finished', async () => {
  const res = new ServerResponse(new IncomingMessage(new Socket()))
  const told = follow(res)
  res.emit('finish')
  res.emit('finish')
  expect(told).toEqual(['sent'])
})

it('clients that leave while a middleware works keep no slot, and have a log line', async () => {
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
  for (const goOn of waiting) goOn()
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
