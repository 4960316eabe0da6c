import { expect } from 'vitest'
import { it } from '../testing/start-test-server.test-support.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

it.for(['a', 'a'.repeat(128), 'with space and ~!"#', '../../etc', '<script>'])(
  'the request id is the one that was sent: %s',
  async (id, { server }) => {
    const response = await server.send({ headers: { 'X-Request-Id': id } })
    expect(response.headers['x-request-id']).toBe(id)
    expect(server.log.requests).toMatchObject([{ requestId: id }])
  },
)

it.for(['', 'a'.repeat(129), 'caf\xe9', 'tab\there', '\x80'])(
  'the request id is a new UUID instead of %j',
  async (id, { server }) => {
    const response = await server.send({ headers: { 'X-Request-Id': id } })
    expect(response.headers['x-request-id']).toMatch(UUID)
    expect(server.log.requests).toMatchObject([{ requestId: response.headers['x-request-id'] }])
  },
)

it('the request id is new for each request without one', async ({ server }) => {
  const ids = [await server.send({}), await server.send({})].map(
    ({ headers }) => headers['x-request-id'],
  )
  expect(new Set(ids).size).toBe(2)
})

it.for([
  ['/v1/pets', {}, 200],
  ['/v1/pets', { key: null }, 401],
  ['/v1/pets?limit=0', {}, 400],
  ['/v1/pets/5', {}, 404],
  ['/nowhere', {}, 404],
  ['/', {}, 200],
  ['/livez', {}, 200],
  ['/readyz', {}, 200],
  ['/v1/pets', { method: 'OPTIONS' }, 204],
  ['/v1/pets', { method: 'PUT' }, 405],
  ['*', { method: 'OPTIONS' }, 204],
] as const)(
  'the request id is on the response, with security headers, and the log line of %s %j',
  async ([path, sending, status], { server }) => {
    const response = await server.send({ path, headers: { 'X-Request-Id': 'mine' }, ...sending })
    expect(response.status).toBe(status)
    expect(response.headers).toMatchObject({
      'x-request-id': 'mine',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    expect(response.headers).not.toHaveProperty('x-powered-by')
    expect(response.headers).not.toHaveProperty('strict-transport-security')
    expect(server.log.requests).toMatchObject([{ requestId: 'mine', status, isComplete: true }])
  },
)
