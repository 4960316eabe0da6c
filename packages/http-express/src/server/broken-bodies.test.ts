import { SCOPES, type VerifiedKey } from '@pet-store/access'
import { describe, expect, vi } from 'vitest'
import { GET, HOST, PET, POST } from '../testing/broken-requests.test-support.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { it, startTestServer } from '../testing/start-test-server.test-support.ts'

describe('a request that breaks off', () => {
  it('a broken body gets no second response after an error response', async ({ server }) => {
    const connection = server
      .connect()
      .write(`POST /v1/pets HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`)
    expectError(await connection.response(), 'unauthorized')
    connection.write('zz\r\n')
    expect(await connection.closed()).toBe(0)
  })

  it('a broken body gets one response while the key is checked, and is no internal error', async () => {
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

  it.for(['reset', 'end'] as const)(
    'by a TCP %s leaves the server unharmed and no internal error in the log',
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

  it('by a TCP reset before the response is logged as not complete', async () => {
    let verify = (_key: VerifiedKey) => {}
    const verified = new Promise<VerifiedKey>((resolve) => {
      verify = resolve
    })
    const tokenCheck = vi.fn(() => verified)
    const server = await startTestServer({ tokenCheck })
    const connection = server.connect().write(`${GET}\r\n`)
    await expect.poll(() => tokenCheck.mock.calls).toHaveLength(1)
    connection.reset()
    await expect.poll(() => server.connections()).toBe(0)
    verify({ keyId: 'test', scopes: SCOPES })
    await expect.poll(() => server.log.requests).toMatchObject([{ method: 'GET', isComplete: false }])
    expect(server.log.internalErrors).toEqual([])
  })
})
