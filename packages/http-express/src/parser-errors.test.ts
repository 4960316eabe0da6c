import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ErrorCode } from './error-answer.ts'
import { expectError } from './expect-error.test-support.ts'
import { API_KEY, openTestServer, startTestServer, type TestServer } from './start-test-server.test-support.ts'

const KEY = `Authorization: Bearer ${API_KEY}\r\n`
const HOST = 'Host: localhost\r\n'
const GET = `GET /v1/pets HTTP/1.1\r\n${HOST}${KEY}`
const POST = `POST /v1/pets HTTP/1.1\r\n${HOST}${KEY}Content-Type: application/json\r\n`
const PET = '{"name":"Rex","categoryId":1}'
const GOOD_POST = `${POST}Content-Length: ${PET.length}\r\n\r\n${PET}`

/** What is sent, and the one answer to it, after which the connection is closed. */
const BROKEN: Readonly<Record<string, readonly [string | Buffer, ErrorCode]>> = {
  'a request line that is none': ['HELLO\r\n\r\n', 'invalid_request'],
  'an empty method': [' /v1/pets HTTP/1.1\r\n\r\n', 'invalid_request'],
  'a method that HTTP parsers do not know': [`FOO /v1/pets HTTP/1.1\r\n${HOST}\r\n`, 'invalid_request'],
  'a method in lower case': [`get /v1/pets HTTP/1.1\r\n${HOST}\r\n`, 'invalid_request'],
  'a version that is none': [`GET /v1/pets HTTP/9.9\r\n${HOST}\r\n`, 'invalid_request'],
  'no version': ['GET /v1/pets\r\n\r\n', 'invalid_request'],
  'a space in the target': [`GET /v1/pets x HTTP/1.1\r\n${HOST}\r\n`, 'invalid_request'],
  'a byte beyond ASCII in the target': [`GET /v1/pets\xa0 HTTP/1.1\r\n${HOST}\r\n`, 'invalid_request'],
  'a NUL in the target': [`GET /v1/pets\0 HTTP/1.1\r\n${HOST}\r\n`, 'invalid_request'],
  'a NUL in a header': [`${GET}X: a\0b\r\n\r\n`, 'invalid_request'],
  'a space in a header name': [`${GET}X Y: a\r\n\r\n`, 'invalid_request'],
  'a header without a colon': [`${GET}XY\r\n\r\n`, 'invalid_request'],
  'a folded header': [`${GET}X: a\r\n b\r\n\r\n`, 'invalid_request'],
  'lines that end in LF alone': [GET.replaceAll('\r', '') + '\n', 'invalid_request'],
  'only NULs': ['\0'.repeat(100), 'invalid_request'],
  'a request line that is too long': [`GET /v1/pets?${'a'.repeat(16_384)} HTTP/1.1\r\n${HOST}\r\n`, 'headers_too_large'],
  'a header that is too long': [`${GET}X: ${'a'.repeat(16_384)}\r\n\r\n`, 'headers_too_large'],
  'headers that are too many': [`${GET}${'Some-Header: some value\r\n'.repeat(2_000)}\r\n`, 'headers_too_large'],
  'a header without end': [`${GET}X: ${'a'.repeat(5_000_000)}`, 'headers_too_large'],
  'no Host': [`GET /v1/pets HTTP/1.1\r\n${KEY}\r\n`, 'invalid_request'],
  'two Hosts': [`${GET}host: other\r\n\r\n`, 'invalid_request'],
  'two equal Hosts': [`${GET}${HOST}\r\n`, 'invalid_request'],
  'two Hosts in HTTP/1.0': [`GET /v1/pets HTTP/1.0\r\n${HOST}${HOST}${KEY}\r\n`, 'invalid_request'],
  'an expectation that nobody knows': [`${POST}Expect: tea\r\nContent-Length: 2\r\n\r\n`, 'expectation_failed'],
  'an expectation and a body': [`${POST}Expect: tea\r\nContent-Length: 500000\r\n\r\n${'x'.repeat(500_000)}`, 'expectation_failed'],
  'a chunk size that is no number': [`${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc`, 'invalid_request'],
  'a second chunk size that is no number': [`${POST}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n-1\r\n`, 'invalid_request'],
  'a chunk that is longer than its size': [`${POST}Transfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n`, 'invalid_request'],
  'chunk extensions that are too long': [`${POST}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\nab\r\n`, 'payload_too_large'],
  'a bad chunk and megabytes behind it': [`${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n${'x'.repeat(3_000_000)}`, 'invalid_request'],
  'lengths that conflict': [`${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`, 'invalid_request'],
  'equal lengths': [`${POST}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`, 'invalid_request'],
  'a length that is negative': [`${POST}Content-Length: -1\r\n\r\n`, 'invalid_request'],
  'a length that is no number': [`${POST}Content-Length: 0x2\r\n\r\n{}`, 'invalid_request'],
  'a length beyond all measure': [`${POST}Content-Length: ${'9'.repeat(30)}\r\n\r\n{}`, 'invalid_request'],
  'a length and a transfer encoding': [`${POST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'invalid_request'],
  'a transfer encoding that does not end in chunked': [`${POST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`, 'invalid_request'],
  CONNECT: [`CONNECT example.org:443 HTTP/1.1\r\n${HOST}\r\n`, 'not_found'],
  'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'invalid_request'],
  'the hello of TLS': [Buffer.from('16030100f1010000ed0303', 'hex'), 'invalid_request'],
  'a SOCKS greeting': [Buffer.from('050100', 'hex'), 'invalid_request'],
}

describe('a request that is no request', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await openTestServer()
  })
  afterAll(() => server.close())

  it.each(Object.entries(BROKEN))('with %s gets one answer with the error body, then the connection closes', async (_name, [data, code]) => {
    const connection = server.connect().write(data)
    const answer = await connection.answer()
    expectError(answer, code)
    expect(answer.headers['connection']).toBe('close')
    expect(answer.headers['date']).toBeDefined()
    expect(await connection.closed()).toBe(0)
  })

  it.each(Object.entries(BROKEN))('with %s in its second request answers the first one before', async (_name, [data, code]) => {
    const connection = server.connect().write(`${GET}\r\n`).write(data)
    expect((await connection.answer()).status).toBe(200)
    expectError(await connection.answer(), code)
    expect(await connection.closed()).toBe(0)
  })

  it('leaves the server unharmed', async () => {
    expect((await server.send({})).status).toBe(200)
    expect(server.log.faults).toEqual([])
  })

  it('keeps its own request id where one could be read', async () => {
    const id = 'X-Request-Id: mine\r\n'
    for (const data of [
      `CONNECT example.org:443 HTTP/1.1\r\n${HOST}${id}\r\n`,
      `${POST}${id}Expect: tea\r\nContent-Length: 0\r\n\r\n`,
      `${POST}${id}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      `GET /v1/pets HTTP/1.1\r\n${id}\r\n`,
    ]) {
      expect((await server.connect().write(data).answer()).headers['x-request-id']).toBe('mine')
    }
  })
})

describe('a request that only looks odd', () => {
  it.each([
    ['asks for an upgrade', `${GET}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    ['asks for HTTP/2', `${GET}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`],
    ['has an empty Host', `GET /v1/pets HTTP/1.1\r\nHost:\r\n${KEY}\r\n`],
    ['is HTTP/1.0 without a Host', `GET /v1/pets HTTP/1.0\r\n${KEY}\r\n`],
    ['begins with an empty line', `\r\n${GET}\r\n`],
    ['has headers of almost 16 KiB', `${GET}X: ${'a'.repeat(16_384 - GET.length - 7)}\r\n\r\n`],
    ['arrives with garbage behind a close', `${GET}Connection: close\r\n\r\nGARBAGE`],
  ])('is answered when it %s', async (_name, data) => {
    const server = await startTestServer()
    const connection = server.connect().write(data)
    expect(await connection.answer()).toMatchObject({ status: 200, text: '[]' })
    connection.end()
    expect(await connection.closed()).toBe(0)
  })

  it('is answered when every byte comes alone', async () => {
    const server = await startTestServer()
    const connection = server.connect()
    for (const byte of GOOD_POST) {
      connection.write(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await connection.answer()).status).toBe(201)
    connection.end()
  })

  it('is answered in its turn when several come at once, also when the first is slow', async () => {
    let calls = 0
    const tokenCheck = async () => {
      calls += 1
      await new Promise((resolve) => setTimeout(resolve, 60 / calls))
      return { keyId: 'test' }
    }
    const server = await startTestServer({ tokenCheck })
    const connection = server.connect().write(`${GOOD_POST}${GET}\r\n${GET.replace('pets', 'pets/1')}\r\nGARBAGE`)
    expect((await connection.answer()).status).toBe(201)
    expect((await connection.answer()).text).toMatch(/^\[/)
    expect((await connection.answer()).headers).toHaveProperty('sunset')
    expectError(await connection.answer(), 'invalid_request')
    expect(await connection.closed()).toBe(0)
  })
})

describe('a body that breaks off', () => {
  it('by a fault gets no second answer when it was refused before', async () => {
    const server = await startTestServer()
    const connection = server.connect().write(`POST /v1/pets HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`)
    expectError(await connection.answer(), 'unauthorized')
    connection.write('zz\r\n')
    expect(await connection.closed()).toBe(0)
  })

  it('by a fault while the key is checked gets one answer and is no fault of ours', async () => {
    const tokenCheck = async () => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      return { keyId: 'test' }
    }
    const server = await startTestServer({ tokenCheck })
    for (const head of [GET, POST, GET.replace('pets', 'pets/1'), GET.replace('pets', 'nowhere'), `${GET}Prefer: handling=strict\r\n`]) {
      const connection = server.connect().write(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)
      expectError(await connection.answer(), 'invalid_request')
      expect(await connection.closed()).toBe(0)
    }
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(server.log.faults).toEqual([])
  })

  it.each(['reset', 'end'] as const)('by a TCP %s leaves the server unharmed and no fault in the log', async (how) => {
    const server = await startTestServer()
    for (const data of [`${POST}Content-Length: 100\r\n\r\n{"na`, `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"na`, GET, 'GET /v1']) {
      const connection = server.connect().write(data)
      await new Promise((resolve) => setTimeout(resolve, 20))
      connection[how]()
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await server.post(PET)).text).toContain('"id":1,')
    expect(server.log.faults).toEqual([])
  })
})

describe('a slow request', () => {
  const limits = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 }

  it.each([
    ['headers', GET],
    ['request line', 'GET /v1'],
    ['body', `${POST}Content-Length: 100\r\n\r\n{"na`],
    ['chunked body', `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"na`],
    ['body announced, of which nothing comes', `${POST}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n`],
  ])('gets 408 when its %s does not end', async (_name, data) => {
    const server = await startTestServer({ limits })
    const connection = server.connect().write(data)
    const answer = await connection.answer()
    expectError(answer, 'request_timeout')
    expect(answer.headers['connection']).toBe('close')
    expect(await connection.closed()).toBe(0)
  })

  it('gets 408 also after a good one on the same connection', async () => {
    const server = await startTestServer({ limits })
    const connection = server.connect().write(`${GET}\r\nGET /v1`)
    expect((await connection.answer()).status).toBe(200)
    expectError(await connection.answer(), 'request_timeout')
    expect(await connection.closed()).toBe(0)
  })

  it('does not take the time of a slow answer', async () => {
    const tokenCheck = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      return { keyId: 'test' }
    }
    const server = await startTestServer({ limits, tokenCheck })
    expect((await server.post(PET)).status).toBe(201)
  })
})
