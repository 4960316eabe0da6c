import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MAX, petOf } from '../testing/body-size.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

const PET = '{"name":"Rex","categoryId":1}'

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
    const response = await server.post(body, { headers: { 'Content-Encoding': encoding } })
    expect(response).toMatchObject({ status: 201, text: '{"id":1,"name":"Rex","categoryId":1}' })
  })

  it.each([
    ['zstd', zstdCompressSync(PET)],
    ['gzip, gzip', gzipSync(gzipSync(PET))],
    ['compress', Buffer.from(PET)],
    ['__proto__', Buffer.from(PET)],
    ['constructor', Buffer.from(PET)],
    ['aws-chunked', Buffer.from(PET)],
  ])('must not be %s; the response names the good ones', async (encoding, body) => {
    const server = await startTestServer()
    const response = await server.post(body, { headers: { 'Content-Encoding': encoding } })
    expectError(response, 'unsupported_media_type')
    expect(response.headers['accept-encoding']).toBe('gzip, deflate, br')
  })

  it.each([
    ['gzip', Buffer.from(PET)],
    ['gzip', gzipSync(PET).subarray(0, -3)],
    ['gzip', Buffer.alloc(0)],
    ['deflate', deflateRawSync(PET)],
    ['br', gzipSync(PET)],
    ['gzip', Buffer.concat([gzipSync(PET), Buffer.from('more')])],
    ['deflate', Buffer.concat([deflateSync(PET), Buffer.from('more')])],
    ['br', Buffer.concat([brotliCompressSync(PET), Buffer.from('more')])],
  ])('must be true: not %s', async (encoding, body) => {
    const server = await startTestServer()
    const response = await server.post(body, { headers: { 'Content-Encoding': encoding } })
    expect(expectError(response, 'invalid_request')).toBe(`the body is not valid ${encoding}`)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)(
    '%s counts by what is inside: 102,400 bytes pass, one more and a bomb do not',
    async (encoding, compress) => {
      const server = await startTestServer()
      const headers = { 'Content-Encoding': encoding }
      expect((await server.post(compress(petOf(MAX)), { headers })).status).toBe(201)
      expectError(await server.post(compress(petOf(MAX + 1)), { headers }), 'payload_too_large')
      expectError(await server.post(compress(Buffer.alloc(10_000_000)), { headers }), 'payload_too_large')
    },
  )

  it('may make a body larger that is not too large itself', async () => {
    const server = await startTestServer()
    const body = gzipSync(petOf(MAX), { level: 0 })
    expect(body.length).toBeGreaterThan(MAX)
    expect((await server.post(body, { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(201)
  })

  it('must not hide a body without end', async () => {
    const server = await startTestServer()
    const body = Buffer.concat(Array(20_000).fill(gzipSync('')))
    expectError(await server.post(body, { headers: { 'Content-Encoding': 'gzip' } }), 'payload_too_large')
  })
})
