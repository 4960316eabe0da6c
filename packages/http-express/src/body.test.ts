import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expectError } from './expect-error.test-support.ts'
import { API_KEY, startTestServer } from './start-test-server.test-support.ts'

const PET = '{"name":"Rex","categoryId":1}'
const MAX = 102_400

/** A good body of exactly so many bytes. */
function petOf(bytes: number): string {
  const rest = bytes - '{"name":"Rex","categoryId":1,"pad":""}'.length
  return `{"name":"Rex","categoryId":1,"pad":"${'x'.repeat(rest)}"}`
}

describe('the content type of a body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; CHARSET="Utf-8"',
    'application/json; charset=utf8',
    'application/json;',
    'application/json; foo=bar',
    'application/json; foo=bar; charset=utf-8',
  ])('may be %s', async (type) => {
    const server = await startTestServer()
    expect((await server.post(PET, { headers: { 'Content-Type': type } })).status).toBe(201)
  })

  it.each([
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json5',
    'application/problem+json',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'json',
    '*/*',
    'application/json, text/plain',
    'text/plain; application/json',
    'application/json charset=utf-8',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=',
    'application/json; charset="utf-8',
    "application/json; charset='utf-8'",
    'application/json; foo=bar; charset=us-ascii',
  ])('must not be %j', async (type) => {
    const server = await startTestServer()
    expectError(await server.post(PET, { headers: { 'Content-Type': type } }), 'unsupported_media_type')
  })

  it('is required, also when there is no body', async () => {
    const server = await startTestServer()
    expectError(await server.send({ method: 'POST', body: PET }), 'unsupported_media_type')
    expectError(await server.send({ method: 'POST' }), 'unsupported_media_type')
  })
})

describe('the content encoding of a body', () => {
  it.each([
    ['gzip', gzipSync(PET)],
    ['x-gzip', gzipSync(PET)],
    ['GZIP', gzipSync(PET)],
    ['deflate', deflateSync(PET)],
    ['br', brotliCompressSync(PET)],
    ['identity', Buffer.from(PET)],
    ['', Buffer.from(PET)],
  ])('may be %j', async (encoding, body) => {
    const server = await startTestServer()
    const answer = await server.post(body, { headers: { 'Content-Encoding': encoding } })
    expect(answer).toMatchObject({ status: 201, text: '{"id":1,"name":"Rex","categoryId":1}' })
  })

  it.each([
    ['zstd', zstdCompressSync(PET)],
    ['gzip, gzip', gzipSync(gzipSync(PET))],
    ['compress', Buffer.from(PET)],
    ['__proto__', Buffer.from(PET)],
    ['constructor', Buffer.from(PET)],
    ['aws-chunked', Buffer.from(PET)],
  ])('must not be %s; the answer names the good ones', async (encoding, body) => {
    const server = await startTestServer()
    const answer = await server.post(body, { headers: { 'Content-Encoding': encoding } })
    expectError(answer, 'unsupported_media_type')
    expect(answer.headers['accept-encoding']).toBe('gzip, deflate, br')
  })

  it.each([
    ['gzip', Buffer.from(PET)],
    ['gzip', gzipSync(PET).subarray(0, -3)],
    ['gzip', Buffer.alloc(0)],
    ['deflate', deflateRawSync(PET)],
    ['br', gzipSync(PET)],
  ])('must be true: not %s', async (encoding, body) => {
    const server = await startTestServer()
    const answer = await server.post(body, { headers: { 'Content-Encoding': encoding } })
    expect(expectError(answer, 'invalid_request')).toBe(`the body is not valid ${encoding}`)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('%s counts by what is inside: 102,400 bytes pass, one more and a bomb do not', async (encoding, compress) => {
    const server = await startTestServer()
    const headers = { 'Content-Encoding': encoding }
    expect((await server.post(compress(petOf(MAX)), { headers })).status).toBe(201)
    expectError(await server.post(compress(petOf(MAX + 1)), { headers }), 'payload_too_large')
    expectError(await server.post(compress(Buffer.alloc(50_000_000)), { headers }), 'payload_too_large')
  })

  it('may make a body larger that is not too large itself', async () => {
    const server = await startTestServer()
    const body = gzipSync(petOf(MAX), { level: 0 })
    expect(body.length).toBeGreaterThan(MAX)
    expect((await server.post(body, { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(201)
  })

  it('must not hide a body without end', async () => {
    const server = await startTestServer()
    const body = Buffer.concat(Array.from({ length: 20_000 }, () => gzipSync('')))
    expectError(await server.post(body, { headers: { 'Content-Encoding': 'gzip' } }), 'payload_too_large')
  })
})

describe('the size of a body', () => {
  it.each([undefined, 1000, 65_536])('may be 102,400 bytes and not one more, in chunks of %s', async (chunkBytes) => {
    const server = await startTestServer()
    const sending = chunkBytes === undefined ? {} : { chunkBytes }
    expect((await server.post(petOf(MAX), sending)).status).toBe(201)
    expect(expectError(await server.post(petOf(MAX + 1), sending), 'payload_too_large')).toContain('102400')
    expect((await server.send({})).text).toBe('[{"id":1,"name":"Rex","categoryId":1}]')
  })

  it('counts bytes, not characters', async () => {
    const server = await startTestServer()
    const pad = (count: number) => `{"name":"Rex","categoryId":1,"pad":"${'é'.repeat(count)}"}`
    expectError(await server.post(pad(60_000)), 'payload_too_large')
    expect((await server.post(pad(50_000))).status).toBe(201)
  })

  const HEAD = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\nContent-Type: application/json\r\n`

  it('is refused before the upload ends; the connection then lives on', async () => {
    const server = await startTestServer()
    const connection = server.connect().write(`${HEAD}Content-Length: 1000000\r\n\r\n${'x'.repeat(500_000)}`)
    expectError(await connection.answer(), 'payload_too_large')
    connection.write('x'.repeat(500_000)).write(`${HEAD}Content-Length: ${PET.length}\r\n\r\n${PET}`)
    expect((await connection.answer()).status).toBe(201)
    connection.end()
  })

  it('is refused in chunks before the upload ends; the connection then lives on', async () => {
    const server = await startTestServer()
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const connection = server.connect().write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`)
    expectError(await connection.answer(), 'payload_too_large')
    connection.write(`${chunk}0\r\n\r\n`).write(`${HEAD}Content-Length: ${PET.length}\r\n\r\n${PET}`)
    expect((await connection.answer()).status).toBe(201)
    connection.end()
  })

  it('is refused without waiting when only the length was sent', async () => {
    const server = await startTestServer()
    const connection = server.connect().write(`${HEAD}Content-Length: 102401\r\nExpect: 100-continue\r\n\r\n`)
    expectError(await connection.answer(), 'payload_too_large')
    connection.end()
  })

  it('that goes on for ever gets one answer, then the connection is closed', async () => {
    const limits = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 }
    const server = await startTestServer({ limits })
    const connection = server.connect().write(`${HEAD}Content-Length: 99000000\r\n\r\n`)
    expectError(await connection.answer(), 'payload_too_large')
    expect(await connection.closed()).toBe(0)
  })
})

describe('the text of a body', () => {
  it.each([
    ['', 'the body is empty; it must be a JSON object'],
    [' \n', 'the body is not valid JSON'],
    ['{', 'the body is not valid JSON'],
    ['{}{}', 'the body is not valid JSON'],
    ['\ufeff{"name":"Rex","categoryId":1}', 'the body must not begin with a byte order mark'],
    ['\ufeff', 'the body must not begin with a byte order mark'],
    [Buffer.from(PET, 'utf16le'), 'the body is not valid JSON'],
    [Buffer.from('{"name":"Zo\xeb","categoryId":1}', 'latin1'), 'the body is not valid UTF-8'],
    [Buffer.from('{"name":"\xc0\xaf","categoryId":1}', 'latin1'), 'the body is not valid UTF-8'],
    [Buffer.from('{"name":"\xed\xa0\x80","categoryId":1}', 'latin1'), 'the body is not valid UTF-8'],
    [Buffer.from('{"name":"\xf4\x90\x80\x80","categoryId":1}', 'latin1'), 'the body is not valid UTF-8'],
    [Buffer.from(`${PET}\xe2\x82`, 'latin1'), 'the body is not valid UTF-8'],
    [Buffer.from('fffe7b007d00', 'hex'), 'the body is not valid UTF-8'],
  ])('is refused: %j', async (body, message) => {
    const server = await startTestServer()
    expect(expectError(await server.post(body), 'invalid_request')).toBe(message)
  })

  it('may have white space around it', async () => {
    const server = await startTestServer()
    expect((await server.post(` \t\r\n${PET}\n `)).status).toBe(201)
  })

  it.each([
    ['[', ']', ''],
    ['{"a":', '}', '1'],
  ])('may be nested 14,000 levels deep in %s, and with numbers that need care is refused at worst', async (open, close, inside) => {
    const server = await startTestServer()
    for (const number of [inside, '9007199254740993', '1.0']) {
      const nested = `${open.repeat(14_000)}${number}${close.repeat(14_000)}`
      const answer = await server.post(`{"name":"Rex","categoryId":1,"deep":${nested}}`)
      if (number === inside) expect(answer.status).toBe(201)
      if (answer.status !== 201) expect(expectError(answer, 'invalid_request')).toBe('the body is nested too deep')
    }
  })

  it.each(['', '9007199254740993'])('nested 50,000 levels deep, around %j, is answered', async (number) => {
    const server = await startTestServer()
    for (const body of [`${'['.repeat(50_000)}${number}${']'.repeat(50_000)}`, '['.repeat(MAX), '{"":'.repeat(25_000)]) {
      expectError(await server.post(body), 'invalid_request')
    }
    expect((await server.post(PET)).status).toBe(201)
  })
})
