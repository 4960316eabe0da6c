import { validateNewPet } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { describe, expect, it } from 'vitest'
import { GET, GOOD_POST, HOST, KEY } from '../testing/broken-requests.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

describe('a request that only looks odd', () => {
  it.each([
    ['asks for an upgrade', `${GET}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    [
      'asks for HTTP/2',
      `${GET}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
    ],
    ['has an empty Host', `GET /v1/pets HTTP/1.1\r\nHost:\r\n${KEY}\r\n`],
    ['is HTTP/1.0 without a Host', `GET /v1/pets HTTP/1.0\r\n${KEY}\r\n`],
    ['begins with an empty line', `\r\n${GET}\r\n`],
    ['has headers of almost 16 KiB', `${GET}X: ${'a'.repeat(16_384 - GET.length - 7)}\r\n\r\n`],
    ['names its key after 2,500 other headers', `GET /v1/pets HTTP/1.1\r\n${HOST}${'a:\r\n'.repeat(2500)}${KEY}\r\n`],
    ['arrives with garbage behind a close', `${GET}Connection: close\r\n\r\nGARBAGE`],
  ])('gets a response when it %s', async (_name, data) => {
    const server = await startTestServer()
    const connection = server.connect().write(data)
    expect(await connection.response()).toMatchObject({ status: 200, text: '[]' })
    connection.end()
    expect(await connection.closed()).toBe(0)
  })

  it('gets a response in full when garbage follows a close, however long the response is', async () => {
    const repository = createMemoryPets()
    for (let count = 0; count < 100; count += 1) {
      await repository.add(validateNewPet({ name: '😀'.repeat(1000), categoryId: 1n }))
    }
    const server = await startTestServer({ repository })
    const connection = server.connect()
    connection.write(`${GET.replace('pets', 'pets?limit=100')}Connection: close\r\n\r\nGARBAGE`)
    expect(JSON.parse((await connection.response()).text)).toHaveLength(100)
  })

  it('gets a response when every byte comes alone', async () => {
    const server = await startTestServer()
    const connection = server.connect()
    for (const byte of GOOD_POST) {
      connection.write(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await connection.response()).status).toBe(201)
    connection.end()
  })
})
