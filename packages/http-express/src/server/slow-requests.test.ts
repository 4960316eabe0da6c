import { SCOPES } from '@pet-store/access'
import { describe, expect, it } from 'vitest'
import { GET, PET, POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

describe('a slow request', () => {
  const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 20 }

  it.each([
    ['headers', GET],
    ['request line', 'GET /v1'],
    ['body', `${POST}Content-Length: 100\r\n\r\n{"na`],
    ['chunked body', `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"na`],
    ['body announced, of which nothing comes', `${POST}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n`],
  ])('gets 408 when its %s does not end', async (_name, data) => {
    const server = await startTestServer({ limits })
    const connection = server.connect().write(data)
    const response = await connection.response()
    expectError(response, 'request_timeout')
    expect(response.headers['connection']).toBe('close')
    expect(await connection.closed()).toBe(0)
  })

  it('gets 408 also after a good one on the same connection', async () => {
    const server = await startTestServer({ limits })
    const connection = server.connect().write(`${GET}\r\nGET /v1`)
    expect((await connection.response()).status).toBe(200)
    expectError(await connection.response(), 'request_timeout')
    expect(await connection.closed()).toBe(0)
  })

  it('does not take the time of a slow response', async () => {
    const tokenCheck = async () => {
      await new Promise((resolve) => setTimeout(resolve, 900))
      return { keyId: 'test', scopes: SCOPES }
    }
    const server = await startTestServer({ limits, tokenCheck })
    expect((await server.post(PET)).status).toBe(201)
  })
})
