import { createMemoryPets } from '@pet-store/domain/memory'
import { describe, expect, it } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'

/** What the ports promise while storage cannot be reached, from whatever class. */
function away(): Promise<never> {
  return Promise.reject(Object.assign(new Error('host db.internal is down'), { code: 'persistence_unavailable' }))
}

describe('While storage is away', () => {
  it.each([
    ['GET', '/v1/pets'],
    ['GET', '/v1/pets/1'],
    ['POST', '/v1/pets'],
  ])('%s %s gets a response 503 with Retry-After, and the log tells why', async (method, path) => {
    const server = await startTestServer({ repository: { add: away, addWithKey: away, find: away, list: away } })
    const response = await server.post('{"name":"Rex","categoryId":1}', { method, path })
    expect(expectError(response, 'service_unavailable')).not.toContain('db.internal')
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(server.log.internalErrors).toMatchObject([{ error: { message: 'host db.internal is down' } }])
  })

  it('a key that has to be looked up gets a response alike', async () => {
    const server = await startTestServer({ tokenCheck: away })
    const response = await server.send({})
    expectError(response, 'service_unavailable')
    expect(response.headers['retry-after']).toBeDefined()
  })

  it('the next request is served when storage is back', async () => {
    const pets = createMemoryPets()
    let isAway = true
    const server = await startTestServer({
      repository: { ...pets, list: (query) => (isAway ? away() : pets.list(query)) },
    })
    expect((await server.send({})).status).toBe(503)
    isAway = false
    expect((await server.send({})).status).toBe(200)
  })
})
