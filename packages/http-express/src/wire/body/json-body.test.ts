import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { expect } from 'vitest'
import { PET, POST } from '../../testing/broken-requests.test-support.ts'
import { expectError } from '../../testing/expect-error.test-support.ts'
import { it, startTestServer } from '../../testing/start-test-server.test-support.ts'
import { readJsonBody } from './json-body.ts'

const MAX_BYTES = 102_400

/** A valid body of exactly this many bytes. */
function petOf(bytes: number): string {
  const rest = bytes - '{"name":"Rex","categoryId":1,"pad":""}'.length
  return `{"name":"Rex","categoryId":1,"pad":"${'x'.repeat(rest)}"}`
}

it.for([
  'application/json',
  'application/json;charset=utf-8',
  'application/json ; CHARSET="Utf-8"',
  'application/json; charset=utf8',
  'application/json;',
  'application/json; foo=bar; charset=utf-8',
  'application/json; x="; charset=latin1"',
  'application/json; x="\\"; charset=latin1"; charset=utf-8',
])('the content type of a body may be %s', async (type, { server }) => {
  expect((await server.post(PET, { headers: { 'Content-Type': type } })).status).toBe(201)
})

it.for([
  '',
  'text/plain',
  'application/jsonp',
  'application/problem+json',
  'multipart/form-data; boundary=x',
  '*/*',
  'application/json, text/plain',
  'application/json charset=utf-8',
  'application/json; charset=latin1',
  'application/json; charset=',
  'application/json; charset="utf-8',
  "application/json; charset='utf-8'",
  'application/json; x="; charset=utf-8"; charset=latin1',
])('the content type of a body must not be %j', async (type, { server }) => {
  expectError(
    await server.post(PET, { headers: { 'Content-Type': type } }),
    'unsupported_media_type',
  )
})

it.for([
  'application/json; charset=utf-8; charset=utf-8',
  'application/json;charset=utf-8;Charset=latin1',
])('the content type of a body must have one charset: %j', async (type, { server }) => {
  expectError(await server.post(PET, { headers: { 'Content-Type': type } }), 'invalid_request')
})

// A quadratic pattern takes minutes for this.
it('the content type of a body takes linear time when its quotes are not closed', async () => {
  const type = `application/json;x="${'\\"'.repeat(500_000)}`
  const req = { headers: { 'content-type': type } } as IncomingMessage
  await expect(readJsonBody(req, {} as ServerResponse)).rejects.toMatchObject({
    code: 'unsupported_media_type',
  })
})

it('the content type of a body is required even without a body', async ({ server }) => {
  expectError(await server.send({ method: 'POST', body: PET }), 'unsupported_media_type')
  expectError(await server.send({ method: 'POST' }), 'unsupported_media_type')
})

it.for([
  ['gzip', gzipSync(PET)],
  ['x-gzip', gzipSync(PET)],
  ['GZIP', gzipSync(PET)],
  ['deflate', deflateSync(PET)],
  ['br', brotliCompressSync(PET)],
  ['identity', Buffer.from(PET)],
  ['', Buffer.from(PET)],
] as const)('the content encoding of a body may be %j', async ([encoding, body], { server }) => {
  const response = await server.post(body, { headers: { 'Content-Encoding': encoding } })
  expect(response).toMatchObject({ status: 201, text: '{"id":1,"name":"Rex","categoryId":1}' })
})

it.for([
  ['zstd', zstdCompressSync(PET)],
  ['gzip, gzip', gzipSync(gzipSync(PET))],
  ['compress', Buffer.from(PET)],
  ['__proto__', Buffer.from(PET)],
  ['constructor', Buffer.from(PET)],
  ['aws-chunked', Buffer.from(PET)],
] as const)(
  'the content encoding of a body must not be %s; the response names those that may be',
  async ([encoding, body], { server }) => {
    const response = await server.post(body, { headers: { 'Content-Encoding': encoding } })
    expectError(response, 'unsupported_media_type')
    expect(response.headers['accept-encoding']).toBe('gzip, deflate, br')
  },
)

it.for([
  ['gzip', Buffer.from(PET)],
  ['gzip', gzipSync(PET).subarray(0, -3)],
  ['gzip', Buffer.alloc(0)],
  ['deflate', deflateRawSync(PET)],
  ['br', gzipSync(PET)],
  ['gzip', Buffer.concat([gzipSync(PET), Buffer.from('more')])],
  ['deflate', Buffer.concat([deflateSync(PET), Buffer.from('more')])],
  ['br', Buffer.concat([brotliCompressSync(PET), Buffer.from('more')])],
] as const)(
  'the content encoding of a body must be correct: not %s',
  async ([encoding, body], { server }) => {
    const response = await server.post(body, { headers: { 'Content-Encoding': encoding } })
    expect(expectError(response, 'invalid_request')).toBe(`the body is not valid ${encoding}`)
  },
)

it.for([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)(
  'a body with the encoding %s may have 102,400 bytes after decoding, and not one more',
  async ([encoding, compress], { server }) => {
    const headers = { 'Content-Encoding': encoding }
    expect((await server.post(compress(petOf(MAX_BYTES)), { headers })).status).toBe(201)
    expectError(await server.post(compress(petOf(MAX_BYTES + 1)), { headers }), 'payload_too_large')
    expectError(
      await server.post(compress(Buffer.alloc(10_000_000)), { headers }),
      'payload_too_large',
    )
  },
)

it('a body may have more than 102,400 bytes before decoding', async ({ server }) => {
  const body = gzipSync(petOf(MAX_BYTES), { level: 0 })
  expect(body.length).toBeGreaterThan(MAX_BYTES)
  expect((await server.post(body, { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(201)
})

it('a compressed body of many empty parts is rejected as too large', async ({ server }) => {
  const body = Buffer.concat(Array(20_000).fill(gzipSync('')))
  expectError(
    await server.post(body, { headers: { 'Content-Encoding': 'gzip' } }),
    'payload_too_large',
  )
})

it.for([undefined, 1000, 65_536])(
  'the size of a body may be 102,400 bytes and not one more, in chunks of %s',
  async (chunkBytes, { server }) => {
    const sending = chunkBytes === undefined ? {} : { chunkBytes }
    expect((await server.post(petOf(MAX_BYTES), sending)).status).toBe(201)
    expect(
      expectError(await server.post(petOf(MAX_BYTES + 1), sending), 'payload_too_large'),
    ).toContain('102400')
    expect((await server.send({})).text).toBe('[{"id":1,"name":"Rex","categoryId":1}]')
  },
)

it('the size of a body counts bytes, not characters', async ({ server }) => {
  const pad = (count: number) => `{"name":"Rex","categoryId":1,"pad":"${'é'.repeat(count)}"}`
  expectError(await server.post(pad(60_000)), 'payload_too_large')
  expect((await server.post(pad(50_000))).status).toBe(201)
})

it.for([
  ['with its length', `Content-Length: 1000000\r\n\r\n${'x'.repeat(500_000)}`],
  [
    'in chunks',
    `Transfer-Encoding: chunked\r\n\r\n${`10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(2)}`,
  ],
] as const)(
  'a body that is too large is rejected before the upload ends: %s',
  async ([, data], { server }) => {
    const connection = server.connect().write(`${POST}${data}`)
    const response = await connection.response()
    expectError(response, 'payload_too_large')
    expect(response.headers['connection']).toBe('close')
    expect(await connection.closed()).toBe(0)
  },
)

it('a body that is too large is rejected when only its length was sent', async ({ server }) => {
  const connection = server
    .connect()
    .write(`${POST}Content-Length: 102401\r\nExpect: 100-continue\r\n\r\n`)
  expectError(await connection.response(), 'payload_too_large')
  connection.end()
})

it('a body that is too large and never ends gets 413, then its connection closes', async () => {
  const limits = { headersTimeoutMs: 500, requestTimeoutMs: 500, checkIntervalMs: 20 }
  const server = await startTestServer({ limits })
  const connection = server.connect().write(`${POST}Content-Length: 99000000\r\n\r\n`)
  expectError(await connection.response(), 'payload_too_large')
  expect(await connection.closed()).toBe(0)
})

it.for([
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
  [
    Buffer.from('{"name":"\xf4\x90\x80\x80","categoryId":1}', 'latin1'),
    'the body is not valid UTF-8',
  ],
  [Buffer.from(`${PET}\xe2\x82`, 'latin1'), 'the body is not valid UTF-8'],
  [Buffer.from('fffe7b007d00', 'hex'), 'the body is not valid UTF-8'],
] as const)('the text of a body is rejected: %j', async ([body, message], { server }) => {
  expect(expectError(await server.post(body), 'invalid_request')).toBe(message)
})

it('the text of a body may have white space around it', async ({ server }) => {
  expect((await server.post(` \t\r\n${PET}\n `)).status).toBe(201)
})

it.for([
  ['[', ']'],
  ['{"a":', '}'],
] as const)(
  'the text of a body may be nested 14,000 levels deep in %s, however its numbers are written',
  async ([open, close], { server }) => {
    for (const number of ['7', '7.0', '9007199254740993']) {
      for (const categoryId of ['1', '1.0', '10e-1']) {
        const nested = `${open.repeat(14_000)}${number}${close.repeat(14_000)}`
        const response = await server.post(
          `{"deep":${nested},"name":"Rex","categoryId":${categoryId}}`,
        )
        expect(response.status).toBe(201)
        expect(JSON.parse(response.text)).toMatchObject({ name: 'Rex', categoryId: 1 })
      }
    }
  },
)

it.for(['', '9007199254740993'])(
  'the text of a body nested 50,000 levels deep, around %j, gets a response',
  async (number, { server }) => {
    for (const body of [
      `${'['.repeat(50_000)}${number}${']'.repeat(50_000)}`,
      '['.repeat(MAX_BYTES),
      '{"":'.repeat(25_000),
    ]) {
      expectError(await server.post(body), 'invalid_request')
    }
    expect((await server.post(PET)).status).toBe(201)
  },
)
