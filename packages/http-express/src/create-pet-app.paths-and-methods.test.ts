import { expect } from 'vitest'
import { expectError } from './testing/expect-error.test-support.ts'
import { it } from './testing/start-test-server.test-support.ts'

it.for([
  '/v1',
  '/v1/',
  '/v1/Pets',
  '/v1/pets/',
  '/v1//pets',
  '/v1/pets/1/',
  '/v1/pets/1/2',
  '/v1/pets/%zz',
  '/v1/pets/%E0%A4',
  '/v1/pets/%ff',
  '/v1/%70ets',
  '/v1/pets%2F1',
  '/v1/./pets',
  '/v1/pets;a=b',
  '/v1/pets%00',
  '/v1\\pets',
  '/v1/categories',
  '/v1/store/orders',
  '/v1/livez',
  '/v1/*',
  '/v1/__proto__',
])('the path %s names nothing: 404 with a key, 401 without', async (path, { server }) => {
  await server.post('{"name":"Rex","categoryId":1}')
  for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
    expectError(await server.send({ method, path }), 'not_found')
  }
  const isUnderV1 = path.startsWith('/v1/') || path === '/v1'
  expectError(await server.send({ path, key: null }), isUnderV1 ? 'unauthorized' : 'not_found')
})

it.for([
  '//',
  '/pets',
  '/V1/pets',
  '//v1/pets',
  '/%76%31/pets',
  '/v1%2Fpets',
  '/favicon.ico',
  '/READYZ',
  '/%zz',
])(
  'the path %s, which is not under /v1, is 404 with and without a key',
  async (path, { server }) => {
    expectError(await server.send({ path }), 'not_found')
    expectError(await server.send({ path, key: null }), 'not_found')
  },
)

it.for([
  'http://localhost/v1/pets?limit=1',
  'HTTP://[::1]:99999999/v1/pets',
  'https://a;b/v1/pets?',
])('a request target may be absolute: %s', async (path, { server }) => {
  expect((await server.send({ path })).status).toBe(200)
  expectError(await server.send({ path, key: null }), 'unauthorized')
  expectError(await server.send({ path: path.replace('pets', 'pets/') }), 'not_found')
})

it.for(['http:///v1/pets', 'HTTP://user@[::1]/v1/pets', 'http://u@h/', 'http://[::1/v1/pets'])(
  'a request target must have a valid host, like the Host header: %s',
  async (path, { server }) => {
    expect(expectError(await server.send({ path }), 'invalid_request')).toContain('host')
  },
)

it('a request target keeps its query when it is absolute', async ({ server }) => {
  expect(
    expectError(await server.send({ path: 'http://x/v1/pets?limit=0' }), 'invalid_request'),
  ).toContain('limit')
})

it.for(['/v1/pets#', '/v1/pets#x', '/v1/pets?limit=1#x', '/v1\\pets#', 'ftp://x/v1/pets'])(
  'a request target that the service does not serve is 404: %s',
  async (path, { server }) => {
    expectError(await server.send({ method: 'OPTIONS', path }), 'not_found')
  },
)

it('OPTIONS * responds with 204 and every method of the server', async ({ server }) => {
  const response = await server.send({ method: 'OPTIONS', path: '*' })
  expect([response.status, response.headers['allow']]).toEqual([
    204,
    expect.stringMatching(/^GET, HEAD, POST, .*OPTIONS$/),
  ])
})

it.for([
  '/v1/pets',
  '/v1/pets?limit=1',
  '/v1/pets/1',
  '/',
  '/docs',
  '/livez',
  '/readyz',
  '/openapi.json',
  '/v1/pets?limit=0',
  '/v1/pets/77',
  '/nowhere',
])('HEAD has the headers of GET and no body: %s', async (path, { server }) => {
  await server.post('{"name":"Rex","categoryId":1}')
  await server.post('{"name":"Rex","categoryId":1}')
  const headers = { 'X-Request-Id': 'same' }
  const get = await server.send({ path, headers })
  const head = await server.send({ method: 'HEAD', path, headers })
  expect(head.status).toBe(get.status)
  expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' })
  expect(head.text).toBe('')
})

it.for(['/', '/docs', '/livez', '/readyz', '/openapi.json'])(
  'OPTIONS responds with 204 for %s and its methods',
  async (path, { server }) => {
    const response = await server.send({ method: 'OPTIONS', path })
    expect(response).toMatchObject({ status: 204, text: '' })
    expect(response.headers).toMatchObject({
      allow: 'GET, HEAD, OPTIONS',
      'cache-control': 'no-store',
    })
    expectError(await server.send({ method: 'PUT', path }), 'method_not_allowed')
  },
)

it('OPTIONS needs a key', async ({ server }) => {
  expectError(await server.send({ method: 'OPTIONS', key: null }), 'unauthorized')
})

it('the order of checks is 401, 404, 405, 410, 415, 413, 400, unknown pet 404', async ({
  server,
}) => {
  const strict = { Prefer: 'handling=strict' }
  const large = '!'.repeat(102_401)
  const wrongType = { 'Content-Type': 'text/plain' }
  server.clock.now = new Date('2031-01-01T00:00:00Z')
  expectError(await server.send({ method: 'PUT', path: '/v1/nowhere', key: 'bad' }), 'unauthorized')
  expectError(await server.send({ method: 'PUT', path: '/v1/nowhere' }), 'not_found')
  expectError(
    await server.send({ method: 'PUT', path: '/v1/pets/1?x=1', headers: strict }),
    'method_not_allowed',
  )
  expectError(await server.send({ path: '/v1/pets/1?x=1', headers: strict }), 'gone')
  expectError(
    await server.post(large, { path: '/v1/pets?x=1', headers: { ...strict, ...wrongType } }),
    'unsupported_media_type',
  )
  expectError(
    await server.post(large, { path: '/v1/pets?x=1', headers: strict }),
    'payload_too_large',
  )
  expectError(await server.post('!', { path: '/v1/pets?x=1', headers: strict }), 'invalid_request')
  server.clock.now = new Date('2027-01-01T00:00:00Z')
  expectError(await server.send({ path: '/v1/pets/5?x=1', headers: strict }), 'invalid_request')
  expectError(await server.send({ path: '/v1/pets/5' }), 'not_found')
})
