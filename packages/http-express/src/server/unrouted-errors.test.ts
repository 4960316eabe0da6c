import { validateNewPet } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { afterAll, beforeAll, expect } from 'vitest'
import { BROKEN, GET, GOOD_POST, HOST, KEY, POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import {
  it,
  openTestServer,
  startTestServer,
  type TestServer,
} from '../testing/start-test-server.test-support.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server.close())

it.each(Object.entries(BROKEN))(
  'an invalid request with %s gets an error body and a log line, and its connection closes',
  async (_name, [data, code]) => {
    const connection = server.connect().write(data)
    const response = await connection.response()
    expectError(response, code)
    const { headers, status } = response
    expect(headers['connection']).toBe('close')
    expect(headers['date']).toBeDefined()
    expect(await connection.closed()).toBe(0)
    const lines = () =>
      server.log.requests.filter(({ requestId }) => requestId === headers['x-request-id'])
    await expect.poll(lines).toMatchObject([{ status, clientAddress: '127.0.0.1' }])
  },
)

it.each([
  ['that cannot be parsed', 'HEAD /v1/pets HTTP/1.1\r\nX Y: a\r\n\r\n'],
  ['without a Host', 'HEAD /v1/pets HTTP/1.1\r\n\r\n'],
  ['with an unknown expectation', `HEAD /v1/pets HTTP/1.1\r\n${HOST}Expect: tea\r\n\r\n`],
  [
    'with headers that are too long',
    `HEAD /v1/pets HTTP/1.1\r\n${HOST}X: ${'a'.repeat(17_000)}\r\n\r\n`,
  ],
])('an invalid HEAD request gets a response without a body: %s', async (_name, data) => {
  const text = await server.connect().expectText().write(data).text()
  expect(text).toMatch(/^HTTP\/1\.1 4\d\d .*\r\nContent-Length: [1-9].*\r\n\r\n$/s)
})

it('an invalid GET request gets an error body, even if a header looks like HEAD', async () => {
  const connection = server.connect().write('GET / HTTP/1.1\r\nX-A: HEAD / \r\nX Y: a\r\n\r\n')
  expectError(await connection.response(), 'invalid_request')
})

it.each(['X Y: a', `X: ${'a'.repeat(17_000)}`, 'Expect: tea'])(
  'web pages of allowed origins, and no others, can read the response and its id: %.9s',
  async (field) => {
    const shop = 'https://shop.example'
    const cors = await startTestServer({ corsOrigins: [shop] })
    for (const origin of [shop, 'https://other.example']) {
      const data = `GET /v1/pets HTTP/1.1\r\n${HOST}Origin: ${origin}\r\n${field}\r\n\r\n`
      const { status, headers } = await cors.connect().write(data).response()
      expect(status).toBeGreaterThan(399)
      const isAllowed = origin === shop
      expect([
        headers['access-control-allow-origin'],
        headers['access-control-expose-headers'],
      ]).toEqual(isAllowed ? [shop, 'X-Request-Id'] : [undefined, undefined])
    }
  },
)

it('invalid requests leave the server unharmed', async () => {
  expect((await server.send({})).status).toBe(200)
  expect(server.log.internalErrors).toEqual([])
})

it('the response to an invalid request has its request id, if that could be read', async () => {
  const id = 'X-Request-Id: mine\r\n'
  for (const data of [
    `CONNECT example.org:443 HTTP/1.1\r\n${HOST}${id}\r\n`,
    `${POST}${id}Expect: tea\r\nContent-Length: 0\r\n\r\n`,
    `${POST}${id}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `GET /v1/pets HTTP/1.1\r\n${id}\r\n`,
  ]) {
    expect((await server.connect().write(data).response()).headers['x-request-id']).toBe('mine')
  }
})

it.for([
  ['a broken request', 'HELLO\r\n\r\n'],
  ['CONNECT', `CONNECT example.org:443 HTTP/1.1\r\n${HOST}\r\n`],
] as const)(
  'a client that keeps sending after the response to %s is first read, then cut off',
  async ([, data], { server }) => {
    const connection = server.connect().write(data)
    await connection.response()
    for (let turn = 0; turn < 50; turn += 1) {
      connection.write('x'.repeat(20_000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(connection.isBroken).toBe(false)
    await expect.poll(() => connection.write('x'.repeat(100_000)).isBroken).toBe(true)
  },
)

it.for([
  ['asks for an upgrade', `${GET}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
  [
    'asks for HTTP/2',
    `${GET}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
  ],
  ['has an empty Host', `GET /v1/pets HTTP/1.1\r\nHost:\r\n${KEY}\r\n`],
  ['is HTTP/1.0 without a Host', `GET /v1/pets HTTP/1.0\r\n${KEY}\r\n`],
  ['begins with an empty line', `\r\n${GET}\r\n`],
  ['has headers of almost 16 KiB', `${GET}X: ${'a'.repeat(16_384 - GET.length - 7)}\r\n\r\n`],
  [
    'names its key in the last of 100 header fields',
    `GET /v1/pets HTTP/1.1\r\n${HOST}${'a:\r\n'.repeat(98)}${KEY}\r\n`,
  ],
  ['arrives with garbage behind a close', `${GET}Connection: close\r\n\r\nGARBAGE`],
] as const)('an unusual but valid request gets a response: it %s', async ([, data], { server }) => {
  const connection = server.connect().write(data)
  expect(await connection.response()).toMatchObject({ status: 200, text: '[]' })
  connection.end()
  expect(await connection.closed()).toBe(0)
})

it('a valid request gets its whole response, even if garbage follows it', async () => {
  const repository = createMemoryPets()
  for (let count = 0; count < 100; count += 1) {
    await repository.add(validateNewPet({ name: '😀'.repeat(1000), categoryId: 1n }))
  }
  const server = await startTestServer({ repository })
  const connection = server.connect()
  connection.write(`${GET.replace('pets', 'pets?limit=100')}Connection: close\r\n\r\nGARBAGE`)
  expect(JSON.parse((await connection.response()).text)).toHaveLength(100)
})

it('an unusual but valid request gets a response: each byte arrives alone', async ({ server }) => {
  const connection = server.connect()
  for (const byte of GOOD_POST) {
    connection.write(byte)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await connection.response()).status).toBe(201)
  connection.end()
})
