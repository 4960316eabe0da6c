import { PetError, type WriteOutcome } from '@pet-store/domain'
import { expect, it } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { failingWith, startTestServer } from '../testing/start-test-server.test-support.ts'

/** What ports reject with while the database is unavailable. */
function unavailable(outcome?: WriteOutcome): () => Promise<never> {
  const error = new PetError(
    'persistence_unavailable',
    'host db.internal is down',
    outcome && { outcome },
  )
  return () => Promise.reject(error)
}

const PET = '{"name":"Rex","categoryId":1}'

it.each([
  ['GET', '/v1/pets'],
  ['GET', '/v1/pets/1'],
  ['POST', '/v1/pets'],
])(
  'while the database is unavailable, %s %s is 503 with Retry-After, and the log has the cause',
  async (method, path) => {
    const fail = unavailable()
    const server = await startTestServer({ repository: failingWith(fail) })
    const response = await server.post(PET, { method, path })
    expect(expectError(response, 'service_unavailable')).not.toContain('db.internal')
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(server.log.unavailable).toMatchObject([
      { error: { message: 'host db.internal is down' } },
    ])
    expect(server.log.internalErrors).toEqual([])
    expect(server.log.requests).toMatchObject([{ status: 503, code: 'service_unavailable' }])
  },
)

it.each([
  ['not_stored', {}, 'The pet was not added. The database cannot serve requests at present.'],
  [
    'unknown',
    { 'Idempotency-Key': 'k' },
    'The pet may have been added; repeat the request with the same Idempotency-Key to find out.',
  ],
  [
    'unknown',
    {},
    'The pet may have been added; a request with an Idempotency-Key could be repeated to find out.',
  ],
  [
    undefined,
    { 'Idempotency-Key': 'k' },
    'The pet may have been added; repeat the request with the same Idempotency-Key to find out.',
  ],
  [
    'not_stored',
    { 'Idempotency-Key': 'k' },
    'The database cannot serve requests at present. ' +
      'An earlier request with the same Idempotency-Key may have added the pet: ' +
      'repeat it with that key to find out.',
  ],
] as const)(
  'while the database is unavailable, a POST says what is known of its pet: %s with %j',
  async (outcome, headers, message) => {
    const fail = unavailable(outcome)
    const server = await startTestServer({ repository: failingWith(fail) })
    expect(expectError(await server.post(PET, { headers }), 'service_unavailable')).toBe(message)
  },
)

it('while the database is unavailable, looking up a key is 503, and adds nothing', async () => {
  const server = await startTestServer({ tokenCheck: unavailable() })
  const response = await server.send({})
  expectError(response, 'service_unavailable')
  expect(response.headers['retry-after']).toBeDefined()
  expect(expectError(await server.post(PET), 'service_unavailable')).toContain('was not added')
})

it('while the database is unavailable, a broken rate limiter has not added the pet', async () => {
  const limit = { requests: 1, windowMs: 1_000 }
  const server = await startTestServer({
    rateLimiting: { limit, limiter: { take: unavailable('unknown') } },
  })
  expect(expectError(await server.post(PET), 'service_unavailable')).toContain('was not added')
  const headers = { 'Idempotency-Key': 'k' }
  expect(expectError(await server.post(PET, { headers }), 'service_unavailable')).not.toMatch(
    /added nothing|not added/,
  )
})
