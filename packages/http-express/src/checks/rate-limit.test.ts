import { createMemoryRateLimiter } from '@pet-store/access'
import { expect, it } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer, type TestServer } from '../testing/start-test-server.test-support.ts'

const LIMIT = { requests: 2, windowMs: 60_000 }
// 12.5 seconds into a minute.
const NOW = Date.UTC(2027, 0, 1, 12, 0, 12, 500)

function start(now: () => number = () => NOW): Promise<TestServer> {
  return startTestServer({
    rateLimiting: { limit: LIMIT, limiter: createMemoryRateLimiter(LIMIT, now) },
  })
}

it('a limited key is told what is left, even on paths that cannot be decoded', async () => {
  const server = await start()
  const responses = [await server.send({}), await server.send({ path: '/v1/pets/%zz' })]
  expect(responses.map(({ status }) => status)).toEqual([200, 404])
  expect(responses.map(({ headers }) => headers['ratelimit'])).toEqual([
    '"default";r=1;t=48',
    '"default";r=0;t=48',
  ])
  expect(responses[0]?.headers['ratelimit-policy']).toBe('"default";q=2;w=60')
})

it('a response to a limited key says that getPet is deprecated, even a 429', async () => {
  const server = await start()
  const responses = []
  for (let times = 0; times < 3; times += 1)
    responses.push(await server.send({ path: '/v1/pets/1' }))
  expect(responses.map(({ status }) => status)).toEqual([404, 404, 429])
  for (const { headers } of responses) expect(headers).toMatchObject({ deprecation: '@1795219200' })
  expect(server.log.requests.map(({ route }) => route)).toEqual(Array(3).fill('/v1/pets/{petId}'))
})

it('a limited key is rejected beyond its limit, and works again in the next window', async () => {
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

it('a limited key is not used up by requests with wrong keys, which are always 401', async () => {
  const server = await start()
  for (let count = 0; count < 5; count += 1) {
    const response = await server.send({ key: 'pets_guessed' })
    expectError(response, 'unauthorized')
    expect(response.headers['ratelimit']).toBeUndefined()
  }
  expect((await server.send({})).headers['ratelimit']).toBe('"default";r=1;t=48')
})
