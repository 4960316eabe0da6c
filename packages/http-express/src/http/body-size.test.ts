import { describe, expect, it } from 'vitest'
import { MAX, petOf } from '../testing/body-size.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { API_KEY, startTestServer } from '../testing/start-test-server.test-support.ts'

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

  it.each([
    ['with its length', `Content-Length: 1000000\r\n\r\n${'x'.repeat(500_000)}`],
    ['in chunks', `Transfer-Encoding: chunked\r\n\r\n${`10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(2)}`],
  ])('is rejected before the upload ends, and the connection closes: %s', async (_name, data) => {
    const server = await startTestServer()
    const connection = server.connect().write(`${HEAD}${data}`)
    const response = await connection.response()
    expectError(response, 'payload_too_large')
    expect(response.headers['connection']).toBe('close')
    expect(await connection.closed()).toBe(0)
  })

  it('is rejected without waiting when only the length was sent', async () => {
    const server = await startTestServer()
    const connection = server.connect().write(`${HEAD}Content-Length: 102401\r\nExpect: 100-continue\r\n\r\n`)
    expectError(await connection.response(), 'payload_too_large')
    connection.end()
  })

  it('that goes on for ever gets one response, then the connection is closed', async () => {
    const limits = { headersTimeoutMs: 500, requestTimeoutMs: 500, checkIntervalMs: 20 }
    const server = await startTestServer({ limits })
    const connection = server.connect().write(`${HEAD}Content-Length: 99000000\r\n\r\n`)
    expectError(await connection.response(), 'payload_too_large')
    expect(await connection.closed()).toBe(0)
  })
})
