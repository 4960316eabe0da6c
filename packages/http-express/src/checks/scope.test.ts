import { createStaticKeys, hashApiKey, type Scope } from '@pet-store/access'
import { expect, it } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import {
  API_KEY,
  startTestServer,
  type TestServer,
} from '../testing/start-test-server.test-support.ts'

function startWith(...scopes: Scope[]): Promise<TestServer> {
  return startTestServer({
    tokenCheck: createStaticKeys([{ keyId: 'reduced', sha256: hashApiKey(API_KEY), scopes }]),
  })
}

const REX = '{"name":"Rex","categoryId":1}'

it('a key with only pets:read cannot create pets, and the body is not read', async () => {
  const server = await startWith('pets:read')
  for (const body of [REX, 'no JSON']) {
    const response = await server.post(body)
    expect(expectError(response, 'forbidden')).toContain('pets:write')
    expect(response.headers['www-authenticate']).toBe(
      'Bearer realm="pet-store", error="insufficient_scope", scope="pets:write"',
    )
  }
  expect((await server.send({})).text).toBe('[]')
  expectError(await server.send({ path: '/v1/pets/1' }), 'not_found')
})

it.each(['/v1/pets', '/v1/pets/1', '/v1/pets?limit=0'])(
  'a key with only pets:write is rejected at %s',
  async (path) => {
    const server = await startWith('pets:write')
    expect((await server.post(REX)).status).toBe(201)
    const response = await server.send({ path })
    expectError(response, 'forbidden')
    expect(response.headers['www-authenticate']).toContain('scope="pets:read"')
  },
)

it('a 403 for getPet says that it is deprecated', async () => {
  const server = await startWith('pets:write')
  server.clock.now = new Date('2031-01-01')
  const response = await server.send({ path: '/v1/pets/1' })
  expectError(response, 'forbidden')
  expect(response.headers['deprecation']).toBeDefined()
})

it('unknown paths and methods are rejected before missing scopes', async () => {
  const server = await startWith('pets:write')
  expectError(await server.send({ path: '/v1/cats' }), 'not_found')
  expectError(await server.send({ method: 'PUT' }), 'method_not_allowed')
  expect((await server.send({ method: 'OPTIONS' })).status).toBe(204)
})
