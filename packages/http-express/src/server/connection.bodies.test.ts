import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { createMemoryRateLimiter, SCOPES, type VerifiedKey } from '@pet-store/access'
import { expect } from 'vitest'
import { GET, HOST, KEY, PET, POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import {
  it,
  startTestServer,
  type TestServerOptions,
} from '../testing/start-test-server.test-support.ts'

it('a broken body gets no second response after an error response', async ({ server }) => {
  const connection = server
    .connect()
    .write(`POST /v1/pets HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`)
  expectError(await connection.response(), 'unauthorized')
  connection.write('zz\r\n')
  expect(await connection.closed()).toBe(0)
})

it('a broken body gets one response during the key check, and is no internal error', async () => {
  const tokenCheck = async () => {
    await new Promise((resolve) => setTimeout(resolve, 30))
    return { keyId: 'test', scopes: SCOPES }
  }
  const server = await startTestServer({ tokenCheck })
  for (const head of [
    GET,
    POST,
    GET.replace('pets', 'pets/1'),
    GET.replace('pets', 'nowhere'),
    `${GET}Prefer: handling=strict\r\n`,
  ]) {
    const connection = server.connect().write(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)
    expectError(await connection.response(), 'invalid_request')
    expect(await connection.closed()).toBe(0)
  }
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(server.log.internalErrors).toEqual([])
})

it.for(['DELETE /v1/pets', 'PUT /v1/pets/1', 'POST /nowhere'])(
  'the whole response to %s is sent although the body is longer than announced',
  async (line, { server }) => {
    const head = `${line} HTTP/1.1\r\n${HOST}${KEY}Content-Length: 2\r\n\r\n`
    const connection = server.connect().write(`${head}{}x`)
    const { status } = await connection.response()
    expect(await connection.closed()).toBe(0)
    expect(connection.isBroken).toBe(false)
    await expect.poll(() => server.log.requests).toHaveLength(1)
    expect(server.log.requests).toMatchObject([{ status, isComplete: true }])
  },
)

it.for(['GET', 'HEAD', 'POST'])(
  'another app can still respond to a %s whose broken body got an error response',
  async (method) => {
    let respond: (() => void) | undefined
    const around = (): RequestListener => (_req, res) => {
      respond = () => void res.setHeader('Content-Type', 'text/plain').writeHead(200).end('late')
    }
    const server = await startTestServer({ around })
    const head = `${method} /hello HTTP/1.1\r\n${HOST}X-Request-Id: mine\r\n`
    const connection = server.connect().expectText()
    connection.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    await expect.poll(() => respond).toBeDefined()
    const text = await connection.write('zz\r\n').text()
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text.endsWith('"status":400}')).toBe(method !== 'HEAD')
    expect(respond).not.toThrow()
    expect(server.log.requests).toMatchObject([
      { requestId: 'mine', method, status: 400, code: 'invalid_request' },
    ])
  },
)

it.for(['reset', 'end'] as const)(
  'a request that breaks off by a TCP %s leaves the server unharmed, no internal error in the log',
  async (how, { server }) => {
    for (const data of [
      `${POST}Content-Length: 100\r\n\r\n{"na`,
      `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"na`,
      GET,
      'GET /v1',
    ]) {
      const connection = server.connect().write(data)
      await new Promise((resolve) => setTimeout(resolve, 20))
      connection[how]()
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await server.post(PET)).text).toContain('"id":1,')
    expect(server.log.internalErrors).toEqual([])
  },
)

const LARGE = 'Content-Length: 50000000\r\n'
const readOnly: VerifiedKey = { keyId: 'reader', scopes: ['pets:read'] }

it.each<[string, string, TestServerOptions]>([
  ['unauthorized', `POST /v1/pets HTTP/1.1\r\n${HOST}`, {}],
  ['forbidden', POST, { tokenCheck: () => readOnly }],
  ['not_found', `POST /v1/nowhere HTTP/1.1\r\n${HOST}${KEY}`, {}],
  ['not_found', `POST /nowhere HTTP/1.1\r\n${HOST}`, {}],
  ['method_not_allowed', `PUT /v1/pets HTTP/1.1\r\n${HOST}${KEY}`, {}],
  ['gone', `GET /v1/pets/1 HTTP/1.1\r\n${HOST}${KEY}`, { nowMs: () => Date.parse('2031-01-01') }],
  ['payload_too_large', POST, {}],
  ['unsupported_media_type', `POST /v1/pets HTTP/1.1\r\n${HOST}${KEY}`, {}],
])(
  'a connection is closed instead of reading the body of a request that is %s: %j',
  async (code, head, options) => {
    const server = await startTestServer(options)
    for (const framing of [LARGE, `${LARGE}Expect: 100-continue\r\n`]) {
      const connection = server.connect().write(`${head}${framing}\r\n`)
      const response = await connection.response()
      expect(JSON.parse(response.text).code).toBe(code)
      expect(response.headers['connection']).toBe('close')
      expect(await connection.closed()).toBe(0)
      expect(connection.continues).toBe(0)
    }
  },
)

it('a connection is closed with a 401 to a small body that has not arrived', async ({ server }) => {
  const head = `POST /v1/pets HTTP/1.1\r\n${HOST}`
  const connection = server.connect().write(`${head}Content-Length: ${PET.length}\r\n\r\n`)
  const response = await connection.response()
  expectError(response, 'unauthorized')
  expect(response.headers['connection']).toBe('close')
  expect(await connection.closed()).toBe(0)
})

it('a connection is closed after a successful response whose request body is not read', async ({
  server,
}) => {
  const connection = server.connect().write(`${GET}${LARGE}\r\n`)
  const response = await connection.response()
  expect([response.status, response.headers['connection']]).toEqual([200, 'close'])
  expect(await connection.closed()).toBe(0)
})

it('a body that is still sent after the response is not read', async ({ server }) => {
  const connection = server.connect().write(`POST /v1/pets HTTP/1.1\r\n${HOST}${LARGE}\r\n`)
  expectError(await connection.response(), 'unauthorized')
  await expect.poll(() => connection.write('x'.repeat(10_000)).isBroken).toBe(true)
})

it('a body that arrived in small chunks while the key was looked up is read whole', async () => {
  let verify = () => {}
  const verified = new Promise<VerifiedKey>((resolve) => {
    verify = () => resolve({ keyId: 'test', scopes: SCOPES })
  })
  const server = await startTestServer({ tokenCheck: () => verified })
  const [head, tail] = [PET.slice(0, 10), PET.slice(10)].map((part) =>
    [...part].map((byte) => `1\r\n${byte}\r\n`).join(''),
  )
  const connection = server.connect().write(`${POST}Transfer-Encoding: chunked\r\n\r\n${head}`)
  await expect.poll(() => server.log.begun).toBe(1)
  connection.write(`${tail}0\r\n\r\n`)
  verify()
  expect((await connection.response()).status).toBe(201)
})

it('100 Continue is sent only once the key is verified', async () => {
  let verify = () => {}
  const verified = new Promise<VerifiedKey>((resolve) => {
    verify = () => resolve({ keyId: 'test', scopes: SCOPES })
  })
  const server = await startTestServer({ tokenCheck: () => verified })
  const connection = server
    .connect()
    .write(`${POST}Expect: 100-continue\r\nContent-Length: ${PET.length}\r\n\r\n`)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(connection.continues).toBe(0)
  verify()
  await expect.poll(() => connection.continues).toBe(1)
  connection.write(PET)
  expect((await connection.response()).status).toBe(201)
  connection.end()
})

it.for<[string, RequestListener]>([
  ['listens', (req, res) => void req.on('data', () => {}).on('end', () => res.end('read'))],
  ['pipes', (req, res) => void req.pipe(res.setHeader('Content-Length', 4))],
  ['iterates', (req, res) => void text(req).then(() => res.end('read'))],
])('100 Continue is sent when another app begins to read: it %s', async ([, listener]) => {
  const server = await startTestServer({ around: () => listener })
  const head = `POST /hello HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 4\r\n\r\n`
  const connection = server.connect().write(head)
  await expect.poll(() => connection.continues).toBe(1)
  expect(await connection.write('read').response()).toMatchObject({ status: 200, text: 'read' })
  expect(connection.continues).toBe(1)
  connection.end()
})

it('a connection is kept when the rate limit rejects a small body', async () => {
  const limit = { requests: 1, windowMs: 60_000 }
  const server = await startTestServer({
    rateLimiting: { limit, limiter: createMemoryRateLimiter(limit, () => 0) },
  })
  const connection = server.connect()
  const post = `${POST}Content-Length: ${PET.length}\r\n\r\n${PET}`
  connection.write(post)
  expect((await connection.response()).status).toBe(201)
  for (let attempt = 0; attempt < 2; attempt += 1) {
    connection.write(post)
    expectError(await connection.response(), 'rate_limited')
  }
  connection.end()
})

it.each([
  ['that is large', `Content-Length: 102401\r\n`],
  ['of unknown length', 'Transfer-Encoding: chunked\r\n'],
  ['that waits for `100 Continue`', `Content-Length: ${PET.length}\r\nExpect: 100-continue\r\n`],
])('a connection is closed with a 429 to a body %s', async (_name, framing) => {
  const limit = { requests: 1, windowMs: 60_000 }
  const server = await startTestServer({
    rateLimiting: { limit, limiter: createMemoryRateLimiter(limit, () => 0) },
  })
  const connection = server.connect().write(`${GET}\r\n`)
  expect((await connection.response()).status).toBe(200)
  connection.write(`${POST}${framing}\r\n`)
  const response = await connection.response()
  expectError(response, 'rate_limited')
  expect(response.headers['connection']).toBe('close')
  expect(await connection.closed()).toBe(0)
})

it('a connection is kept when overload rejects a request before its small body', async () => {
  const server = await startTestServer({ maxConcurrentRequests: 0 })
  const connection = server.connect().write(`${POST}Content-Length: ${PET.length}\r\n\r\n`)
  const response = await connection.response()
  expectError(response, 'service_unavailable')
  expect(response.headers['connection']).toBe('keep-alive')
  connection.write(`${PET}${GET}\r\n`)
  expectError(await connection.response(), 'service_unavailable')
  connection.end()
})
