import {
  createApiKeyText,
  createMemoryRateLimiter,
  createStaticKeys,
  hashApiKey,
  type Scope,
} from '@pet-store/access'
import { describe, expect } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import {
  API_KEY,
  it,
  startTestServer,
  type TestServer,
} from '../testing/start-test-server.test-support.ts'

const BARE_CHALLENGE = 'Bearer realm="pet-store"'
const INVALID_TOKEN = 'Bearer realm="pet-store", error="invalid_token"'

describe('the API key', () => {
  it.for(['Bearer', 'bearer', 'bEaReR   '])(
    'is found behind the scheme %j and any spaces',
    async (scheme, { server }) => {
      const response = await server.send({
        key: null,
        headers: { Authorization: `${scheme} ${API_KEY}` },
      })
      expect(response.status).toBe(200)
    },
  )

  it('may be any text that a client can send, as UTF-8 beyond ASCII', async () => {
    const keys = ['secret of another system', 'schlüssel-鍵', '~!"$%&/()=?']
    const tokenCheck = createStaticKeys(
      keys.map((key) => ({ keyId: key, sha256: hashApiKey(key) })),
    )
    const server = await startTestServer({ tokenCheck })
    for (const key of keys) {
      expect((await server.send({ key: Buffer.from(key).toString('latin1') })).status).toBe(200)
    }
  })

  it.for([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Basic ${API_KEY}`,
    `Bearer${API_KEY}`,
    API_KEY,
    `Token Bearer ${API_KEY}`,
    '\x80',
  ])(
    'is missing in %j, which gets a challenge without an error',
    async (authorization, { server }) => {
      const headers = authorization === undefined ? {} : { Authorization: authorization }
      const response = await server.send({ key: null, headers })
      expectError(response, 'unauthorized')
      expect(response.headers['www-authenticate']).toBe(BARE_CHALLENGE)
    },
  )

  it.for([
    createApiKeyText(),
    'x',
    `${API_KEY}x`,
    `${API_KEY} x`,
    `"${API_KEY}"`,
    API_KEY.toUpperCase(),
    'a'.repeat(9_000),
  ])('is rejected as %j, which gets a challenge with invalid_token', async (key, { server }) => {
    const response = await server.send({ key })
    expectError(response, 'unauthorized')
    expect(response.headers['www-authenticate']).toBe(INVALID_TOKEN)
  })

  it('is never repeated in a response or a log line', async ({ server }) => {
    const rejected = createApiKeyText()
    const responses = [await server.send({ key: rejected }), await server.send({})]
    const all = JSON.stringify([responses, server.log])
    expect(all).not.toContain(rejected)
    expect(all).not.toContain(API_KEY)
  })

  it('is logged by its public id, and only when it is good', async ({ server }) => {
    await server.send({})
    await server.send({ key: createApiKeyText() })
    expect(server.log.requests.map((entry) => entry.keyId)).toEqual(['test-key', undefined])
  })

  it('that cannot be looked up is an internal error, whose cause only the log tells', async () => {
    const cause = new Error('the key table is gone')
    const server = await startTestServer({ tokenCheck: () => Promise.reject(cause) })
    const response = await server.send({})
    const message = expectError(response, 'internal_error')
    expect(message).not.toContain('table')
    expect(server.log.internalErrors).toEqual([
      { error: cause, requestId: response.headers['x-request-id'] },
    ])
  })

  it.for(['/livez', '/readyz'])('is not needed for %s', async (path, { server }) => {
    expect((await server.send({ path, key: null })).status).toBe(200)
  })
})

function startWith(...scopes: Scope[]): Promise<TestServer> {
  return startTestServer({
    tokenCheck: createStaticKeys([{ keyId: 'reduced', sha256: hashApiKey(API_KEY), scopes }]),
  })
}

const REX = '{"name":"Rex","categoryId":1}'

describe('A key with the scope pets:read alone', () => {
  it('is rejected when it adds, before its body is looked at', async () => {
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
})

describe('A key with the scope pets:write alone', () => {
  it.each(['/v1/pets', '/v1/pets/1', '/v1/pets?limit=0'])('is rejected at %s', async (path) => {
    const server = await startWith('pets:write')
    expect((await server.post(REX)).status).toBe(201)
    const response = await server.send({ path })
    expectError(response, 'forbidden')
    expect(response.headers['www-authenticate']).toContain('scope="pets:read"')
  })

  it('is told that getPet is deprecated, also where it is retired', async () => {
    const server = await startWith('pets:write')
    server.clock.now = new Date('2031-01-01')
    const response = await server.send({ path: '/v1/pets/1' })
    expectError(response, 'forbidden')
    expect(response.headers['deprecation']).toBeDefined()
  })
})

it('Paths and methods that are not there are told before scopes', async () => {
  const server = await startWith('pets:write')
  expectError(await server.send({ path: '/v1/cats' }), 'not_found')
  expectError(await server.send({ method: 'PUT' }), 'method_not_allowed')
  expect((await server.send({ method: 'OPTIONS' })).status).toBe(204)
})

const LIMIT = { requests: 2, windowMs: 60_000 }
// 12.5 seconds into a minute.
const NOW = Date.UTC(2027, 0, 1, 12, 0, 12, 500)

function start(now: () => number = () => NOW): Promise<TestServer> {
  return startTestServer({
    rateLimiting: { limit: LIMIT, limiter: createMemoryRateLimiter(LIMIT, now) },
  })
}

describe('A limited key', () => {
  it('is told on every response how much is left, and until when, even by paths that cannot be decoded', async () => {
    const server = await start()
    const responses = [await server.send({}), await server.send({ path: '/v1/pets/%zz' })]
    expect(responses.map(({ status }) => status)).toEqual([200, 404])
    expect(responses.map(({ headers }) => headers['ratelimit'])).toEqual([
      '"default";r=1;t=48',
      '"default";r=0;t=48',
    ])
    expect(responses[0]?.headers['ratelimit-policy']).toBe('"default";q=2;w=60')
  })

  it('is told that getPet is deprecated, rejected or not', async () => {
    const server = await start()
    const responses = []
    for (let times = 0; times < 3; times += 1)
      responses.push(await server.send({ path: '/v1/pets/1' }))
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 429])
    for (const { headers } of responses)
      expect(headers).toMatchObject({ deprecation: '@1795219200' })
    expect(server.log.requests.map(({ route }) => route)).toEqual(Array(3).fill('/v1/pets/{petId}'))
  })

  it('is rejected beyond its limit, whatever it asks for, and works again in the next window', async () => {
    let now = NOW
    const server = await start(() => now)
    await server.send({})
    await server.send({})
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nowhere', '/v1/pets/%zz', '/v1']) {
      const response = await server.send({ path })
      expectError(response, 'rate_limited')
      expect(response.headers).toMatchObject({
        'retry-after': '48',
        ratelimit: '"default";r=0;t=48',
      })
    }
    now += 48_000
    expect((await server.send({})).status).toBe(200)
  })

  it('is not used up by requests with wrong keys, which are 401 in any case', async () => {
    const server = await start()
    for (let count = 0; count < 5; count += 1) {
      const response = await server.send({ key: 'pets_guessed' })
      expectError(response, 'unauthorized')
      expect(response.headers['ratelimit']).toBeUndefined()
    }
    expect((await server.send({})).headers['ratelimit']).toBe('"default";r=1;t=48')
  })
})

describe('An address that tries too many keys', () => {
  it('is asked to wait', async () => {
    const known = createStaticKeys([{ keyId: 'known', sha256: hashApiKey(API_KEY) }])
    const addresses: string[] = []
    const server = await startTestServer({
      tokenCheck: (key, address) => {
        addresses.push(address())
        return known(key) ?? 'too_many_look_ups'
      },
    })
    const response = await server.send({ key: 'another' })
    expectError(response, 'rate_limited')
    expect(response.headers['retry-after']).toBe('1')
    expect(addresses).toEqual(['127.0.0.1'])
    expect((await server.send({})).status).toBe(200)
  })
})
