import { createApiKeyText, createStaticKeys, hashApiKey } from '@pet-store/access'
import { expect } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { API_KEY, it, startTestServer } from '../testing/start-test-server.test-support.ts'

const BARE_CHALLENGE = 'Bearer realm="pet-store"'
const INVALID_TOKEN = 'Bearer realm="pet-store", error="invalid_token"'

it.for(['Bearer', 'bearer', 'bEaReR   '])(
  'the API key is found after the scheme %j and any number of spaces',
  async (scheme, { server }) => {
    const response = await server.send({
      key: null,
      headers: { Authorization: `${scheme} ${API_KEY}` },
    })
    expect(response.status).toBe(200)
  },
)

it('the API key may be any text that a client can send, beyond ASCII as UTF-8', async () => {
  const keys = ['secret of another system', 'schlüssel-鍵', '~!"$%&/()=?']
  const tokenCheck = createStaticKeys(keys.map((key) => ({ keyId: key, sha256: hashApiKey(key) })))
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
  'the API key is missing in %j, which is rejected with a challenge without an error',
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
])('the API key %j is rejected with the challenge invalid_token', async (key, { server }) => {
  const response = await server.send({ key })
  expectError(response, 'unauthorized')
  expect(response.headers['www-authenticate']).toBe(INVALID_TOKEN)
})

it('the API key is never repeated in a response or a log line', async ({ server }) => {
  const rejected = createApiKeyText()
  const responses = [await server.send({ key: rejected }), await server.send({})]
  const all = JSON.stringify([responses, server.log])
  expect(all).not.toContain(rejected)
  expect(all).not.toContain(API_KEY)
})

it('the API key is logged by its public id, and only when it is valid', async ({ server }) => {
  await server.send({})
  await server.send({ key: createApiKeyText() })
  expect(server.log.requests.map((entry) => entry.keyId)).toEqual(['test-key', undefined])
})

it('an API key that cannot be looked up is an internal error, whose cause is logged', async () => {
  const cause = new Error('the key table is gone')
  const server = await startTestServer({ tokenCheck: () => Promise.reject(cause) })
  const response = await server.send({})
  const message = expectError(response, 'internal_error')
  expect(message).not.toContain('table')
  expect(server.log.internalErrors).toEqual([
    { error: cause, requestId: response.headers['x-request-id'] },
  ])
})

it.for(['/livez', '/readyz'])('the API key is not needed for %s', async (path, { server }) => {
  expect((await server.send({ path, key: null })).status).toBe(200)
})

it('an address that tries too many API keys gets 429 with Retry-After', async () => {
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
