import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { BROKEN, GET, GOOD_POST, HOST, KEY, POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { aWhile, longList, startSlowServer } from '../testing/slow-server.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

it.each<[string, string]>([
  ['two requests', GOOD_POST.repeat(2)],
  ['five requests', GOOD_POST.repeat(5)],
  [
    'a request with a body of which only a part has arrived',
    `${GOOD_POST}${POST}Content-Length: 10\r\n\r\n{`,
  ],
  ...['a header without a colon', 'a chunk size that is not a number', 'no Host', 'CONNECT'].map(
    (name): [string, string] => [name, `${GOOD_POST}${BROKEN[name]?.[0]}`],
  ),
])('a connection handles one request of a packet with %s, then closes', async (_name, packet) => {
  const { server, stored } = await startSlowServer()
  const connection = server.connect().write(packet)
  const response = await connection.response()
  expect([response.status, response.headers['connection']]).toEqual([201, 'close'])
  expect(await connection.closed()).toBe(0)
  expect(connection.isBroken).toBe(false)
  await aWhile()
  expect(await stored()).toBe(1)
  await expect.poll(() => server.log.requests).toMatchObject([{ status: 201, isComplete: true }])
})

it('a connection closes after a response at once when its packet has another request', async () => {
  const { server } = await startSlowServer()
  const connection = server.connect().write(`GET /v1/pets HTTP/1.1\r\n${HOST}\r\n`.repeat(3))
  const response = await connection.response()
  expectError(response, 'unauthorized')
  expect(response.headers['connection']).toBe('close')
  expect(await connection.closed()).toBe(0)
})

const FIELDS = Array.from({ length: 40 }, (_, index) => `X-Field-${index}: a\r\n`).join('')

it.each([
  ['that has 40 fields', `GET /v1/pets HTTP/1.1\r\n${HOST}${FIELDS}\r\n`, 'unauthorized'],
  ['that has 40 fields and no route', `GET / HTTP/1.1\r\n${HOST}${FIELDS}\r\n`, undefined],
  [
    'whose body is not needed',
    `GET /v1/pets HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{}`,
    'unauthorized',
  ],
])('a connection handles nothing after a request %s in one packet', async (_name, get, code) => {
  const { server, stored } = await startSlowServer()
  const connection = server.connect().write(`${get}${GOOD_POST}`)
  const response = await connection.response()
  if (code !== undefined) expectError(response, code as 'unauthorized')
  expect(await connection.closed()).toBe(0)
  expect(connection.isBroken).toBe(false)
  await aWhile()
  expect(await stored()).toBe(0)
  expect(server.log.requests).toHaveLength(1)
})

it('a connection closes with the response under way when the next request arrives', async () => {
  const { server, adding, stored } = await startSlowServer({ isHeld: true })
  const connection = server.connect().write(GOOD_POST)
  await expect.poll(() => adding.running).toBe(1)
  connection.write(GOOD_POST)
  await aWhile()
  adding.release()
  const response = await connection.response()
  expect([response.status, response.headers['connection']]).toEqual([201, 'close'])
  expect(await connection.closed()).toBe(0)
  expect(await stored()).toBe(1)
})

it('a long response reaches a client that keeps sending, without a reset', async () => {
  const { server } = await startSlowServer({ repository: longList })
  const connection = server.connect().pause().write(`${GET}\r\n`)
  await expect
    .poll(() => server.log.requests.length + connection.socket.bytesWritten)
    .toBeGreaterThan(0)
  await aWhile()
  connection.write(`${GET}\r\n`)
  await aWhile()
  connection.socket.resume()
  const response = await connection.response()
  expect(response.text).toHaveLength(Number(response.headers['content-length']))
  connection.write(`${GET}\r\n`)
  expect(await connection.closed()).toBe(0)
  expect(connection.isBroken).toBe(false)
  await expect.poll(() => server.log.requests).toHaveLength(1)
})

it('a connection with more than eight requests sent ahead is destroyed at once', async () => {
  const { server, adding } = await startSlowServer({ isHeld: true })
  const eight = server.connect().write(GOOD_POST.repeat(9))
  const nine = server.connect().write(GOOD_POST.repeat(10))
  expect(await nine.closed()).toBe(0)
  await expect.poll(() => server.connections()).toBe(1)
  adding.release()
  expect((await eight.response()).status).toBe(201)
  expect(await eight.closed()).toBe(0)
})

it('one packet of many requests is read each turn, and its connection then closes', async () => {
  const { server } = await startSlowServer()
  const good = server.connect()
  const packets = Array.from({ length: 12 }, () => server.connect())
  await expect.poll(() => server.connections()).toBe(13)
  for (const connection of packets) connection.write(GOOD_POST.repeat(20))
  const closedPerTurn: number[] = []
  for (let open = 13; open > 1; ) {
    await setImmediate()
    const stillOpen = await server.connections()
    closedPerTurn.push(open - stillOpen)
    open = stillOpen
  }
  expect(Math.max(...closedPerTurn)).toBe(1)
  expect((await good.write(GOOD_POST).response()).status).toBe(201)
  good.end()
})

it.each([
  ['a missing Host', `POST /v1/pets HTTP/1.1\r\n${KEY}Content-Length: 0\r\n\r\n`, 400],
  ['an unknown expectation', `${POST}Expect: tea\r\nContent-Length: 0\r\n\r\n`, 417],
  ['an unread body', `POST /v1/pets HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n`, 401],
  ['Connection: close', GOOD_POST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'), 201],
  [
    'Upgrade',
    GOOD_POST.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'),
    201,
  ],
])(
  'a connection handles nothing after a response that closes it: %s',
  async (_name, first, status) => {
    const { server, stored } = await startSlowServer()
    const connection = server.connect().write(`${first}${GOOD_POST}`)
    const response = await connection.response()
    expect([response.status, response.headers['connection']]).toEqual([status, 'close'])
    connection.write(GOOD_POST)
    expect(await connection.closed()).toBe(0)
    await aWhile()
    expect(await stored()).toBe(status === 201 ? 1 : 0)
  },
)

it('a connection handles the next request after each response', async () => {
  const { server } = await startSlowServer()
  const connection = server.connect()
  for (let id = 1; id <= 5; id += 1) {
    const { text, headers } = await connection.write(GOOD_POST).response()
    expect([text.includes(`"id":${id},`), headers['connection']]).toEqual([true, 'keep-alive'])
  }
  connection.end()
})

it('a client that closes its side after the request gets the response', async () => {
  const { server } = await startSlowServer()
  const connection = server.connect().write(GOOD_POST)
  connection.end()
  expect((await connection.response()).text).toContain('"id":1,')
  expect(await connection.closed()).toBe(0)
})

it.each(['HTTP/1.0', 'HTTP/1.1\r\nConnection: close'])(
  'a request whose body breaks off gets its response at once, with %s',
  async (version) => {
    const shortLimits = { headersTimeoutMs: 300, requestTimeoutMs: 300, checkIntervalMs: 20 }
    const post = POST.replace('HTTP/1.1', version)
    const halfSent = `${post}Content-Length: 100\r\n\r\n{"na`
    for (const [data, hasEnd, code, limits] of [
      [halfSent, true, 'invalid_request', {}],
      [halfSent, false, 'request_timeout', shortLimits],
      [`${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, false, 'invalid_request', {}],
    ] as const) {
      const { server } = await startSlowServer({ limits })
      const connection = server.connect().write(data)
      if (hasEnd) connection.end()
      expectError(await connection.response(), code)
      expect(await connection.closed()).toBe(0)
    }
  },
)

it.each([
  ['an unknown Expect', `${POST}Expect: x\r\n\r\n`],
  ['CONNECT', `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`],
  ['a request', GOOD_POST],
  ['an invalid request', 'HELLO\r\n\r\n'],
])(
  'the server survives %s whose client resets at once behind a trusted proxy',
  async (_name, data) => {
    const { server } = await startSlowServer({ trustProxy: 1 })
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const connection = server.connect()
      await new Promise((resolve) => connection.socket.once('connect', resolve))
      connection.socket.write(data, () => connection.reset())
    }
    await expect.poll(() => server.connections()).toBe(0)
    expect((await server.send({})).status).toBe(200)
    expect(server.log.internalErrors).toEqual([])
    await expect.poll(() => server.log.begun).toBe(server.log.requests.length)
  },
)

it('a connection closes if a CONNECT follows a response that is not read', async () => {
  const { server } = await startSlowServer({
    repository: longList,
    limits: { stallTimeoutMs: 300 },
  })
  server.connect().pause().write(`${GET}\r\n`).write(`CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`)
  await expect.poll(() => server.log.begun).toBeGreaterThan(0)
  await expect.poll(() => server.connections()).toBe(0)
})

it.each([
  ['', 1],
  [', which closes the connection', 2],
])(
  'no status is logged for a response%s that its client does not read to the end',
  async (_, requests) => {
    const { server } = await startSlowServer({
      repository: longList,
      limits: { stallTimeoutMs: 300 },
    })
    server.connect().pause().write(`${GET}\r\n`.repeat(requests))
    await expect
      .poll(() => server.log.requests)
      .toMatchObject([{ status: undefined, isComplete: false }])
    await expect.poll(() => server.connections()).toBe(0)
  },
)

it('no status is logged when the connection closed before there was a response', async () => {
  const { server, adding } = await startSlowServer({
    isHeld: true,
    limits: { stallTimeoutMs: 300 },
  })
  const connection = server.connect().write(GOOD_POST)
  expect(await connection.closed()).toBe(0)
  await expect
    .poll(() => server.log.requests)
    .toMatchObject([{ status: undefined, isComplete: false }])
  adding.release()
})

it('connections beyond their maximum are closed at once, until others close', async () => {
  const server = await startTestServer({ limits: { maxConnections: 2 } })
  const connections = [server.connect(), server.connect()]
  for (const connection of connections)
    expect((await connection.write(`${GET}\r\n`).response()).status).toBe(200)
  expect(await server.connect().write(`${GET}\r\n`).closed()).toBe(0)
  connections[0]?.end()
  await expect.poll(() => server.connections()).toBe(1)
  expect((await server.send({})).status).toBe(200)
  connections[1]?.end()
})
