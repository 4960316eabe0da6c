import { expect } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { it, startTestServer } from '../testing/start-test-server.test-support.ts'

const SHOP = 'https://shop.example'
const PREFLIGHT = {
  Origin: SHOP,
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
}
const EXPOSED =
  'Link,Location,Idempotency-Replayed,X-Request-Id,RateLimit,RateLimit-Policy,' +
  'Retry-After,Deprecation,Sunset,Preference-Applied,WWW-Authenticate'

function corsHeaders(headers: NodeJS.Dict<string | string[]>): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'))
}

it('web pages of other origins get no CORS headers by default, and preflights need a key', async ({
  server,
}) => {
  const responses = [
    await server.send({ headers: { Origin: SHOP } }),
    await server.send({ method: 'OPTIONS', headers: PREFLIGHT }),
    await server.send({ method: 'OPTIONS', headers: PREFLIGHT, key: null }),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 204, 401])
  for (const { headers } of responses) expect(corsHeaders(headers)).toEqual([])
})

it('web pages of allowed origins get a response to preflights before the key check', async () => {
  const server = await startTestServer({ corsOrigins: ['https://other.example', SHOP] })
  const response = await server.send({ method: 'OPTIONS', headers: PREFLIGHT, key: null })
  expect(response).toMatchObject({ status: 204, text: '' })
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': SHOP,
    'access-control-allow-methods': expect.stringMatching(/^GET,HEAD,POST,.*OPTIONS$/),
    'access-control-allow-headers': 'authorization,content-type,idempotency-key',
    'access-control-max-age': '7200',
    vary: 'Origin, Access-Control-Request-Headers',
    'x-request-id': expect.any(String),
  })
  expect(response.headers).not.toHaveProperty('content-length')
  expect(response.headers).not.toHaveProperty('access-control-allow-credentials')
})

it.each([
  ['/v1/pets', {}, 200],
  ['/v1/pets', { key: null }, 401],
  ['/v1/pets?limit=0', {}, 400],
  ['/v1/pets/7', {}, 404],
  ['/v1/nowhere', {}, 404],
  ['/v1/pets', { method: 'PUT' }, 405],
  ['/v1/pets', { method: 'POST' }, 415],
  ['/v1/pets', { method: 'OPTIONS' }, 204],
])(
  'web pages of allowed origins may read every response, even error responses: %s %j',
  async (path, sending, status) => {
    const server = await startTestServer({ corsOrigins: [SHOP] })
    const response = await server.send({ path, headers: { Origin: SHOP }, ...sending })
    expect(response.status).toBe(status)
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': SHOP,
      vary: expect.stringMatching(/^Origin\b/),
    })
    if (response.status !== 204)
      expect(response.headers['access-control-expose-headers']).toBe(EXPOSED)
  },
)

it('web pages of allowed origins may read an internal error as well', async () => {
  const tokenCheck = () => Promise.reject(new Error('no'))
  const server = await startTestServer({ corsOrigins: ['*'], tokenCheck })
  const response = await server.send({ headers: { Origin: SHOP } })
  expectError(response, 'internal_error')
  expect(response.headers['access-control-allow-origin']).toBe('*')
})

it.each(['https://evil.example', 'http://shop.example', 'https://shop.example.evil', 'null'])(
  'web pages of an origin that is not in the list get no CORS headers: %s',
  async (Origin) => {
    const server = await startTestServer({ corsOrigins: [SHOP] })
    for (const method of ['GET', 'OPTIONS']) {
      const response = await server.send({ method, headers: { ...PREFLIGHT, Origin } })
      expect(response.headers).not.toHaveProperty('access-control-allow-origin')
      expect(response.headers['vary']).toContain('Origin')
    }
  },
)

it('OPTIONS with a key names the methods of a path to web pages of allowed origins', async () => {
  const server = await startTestServer({ corsOrigins: [SHOP] })
  const headers = { Origin: SHOP }
  const response = await server.send({ method: 'OPTIONS', headers })
  expect(response).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD, POST, OPTIONS' } })
  expectError(await server.send({ method: 'OPTIONS', headers, key: null }), 'unauthorized')
  expect((await server.send({ method: 'OPTIONS' })).headers['allow']).toBe(
    'GET, HEAD, POST, OPTIONS',
  )
})

it('web pages of other origins may not read the pages, which can hold a key', async () => {
  const server = await startTestServer({ corsOrigins: ['*'], developmentKey: 'key' })
  for (const path of ['/', '/docs']) {
    expect(corsHeaders((await server.send({ path, headers: { Origin: SHOP } })).headers)).toEqual(
      [],
    )
  }
})
