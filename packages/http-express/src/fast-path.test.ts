import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryRateLimiter } from '@pet-store/access'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Answer } from './answer.test-support.ts'
import { fastPath } from './fast-path.ts'
import type { Handler } from './handler.ts'
import type { OperationSteps } from './operation-steps.ts'
import { openTestServer, startTestServer, type TestServerOptions } from './start-test-server.test-support.ts'

const LIMIT = { requests: 1_000, windowMs: 60_000 }
const ORIGIN = 'https://shop.example'

/** Each in a setting of its own, in this order, so that what one stores is there for the next. */
const REQUESTS: readonly (readonly [method: string, path: string, Sending])[] = [
  ['POST', '/v1/pets', { body: '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}' }],
  ['POST', '/v1/pets', { body: '{"name":"Mia","categoryId":1}' }],
  ['POST', '/v1/pets', { body: '{"name":""}' }],
  ['POST', '/v1/pets?x=1', { body: '{"name":"Tom","categoryId":1}', headers: { Prefer: 'handling=strict' } }],
  ['POST', '/v1/pets', { body: '{}', headers: { 'Content-Type': 'text/plain' } }],
  ['POST', '/v1/pets', { body: `"${'x'.repeat(110_000)}"` }],
  ['GET', '/v1/pets', {}],
  ['GET', '/v1/pets?limit=1', {}],
  ['GET', '/v1/pets?limit=1&status=sold', {}],
  ['GET', '/v1/pets?limit=%31', {}],
  ['GET', '/v1/pets?limit=1&limit=2', {}],
  ['GET', '/v1/pets?__proto__=1', { headers: { Prefer: 'handling=strict' } }],
  ['GET', '/v1/pets?limit=0', {}],
  ['GET', '/v1/pets?', {}],
  ['GET', '/v1/pets', { key: null }],
  ['GET', '/v1/pets', { headers: { Authorization: 'Bearer nobody' } }],
  ['GET', '/v1/pets', { headers: { Origin: ORIGIN } }],
  ['GET', '/v1/pets/1', {}],
  ['GET', '/v1/pets/1?x=1', { headers: { Prefer: 'handling=strict' } }],
  ['GET', '/v1/pets/2', { headers: { Origin: ORIGIN, 'X-Request-Id': 'mine' } }],
  ['GET', '/v1/pets/3', {}],
  ['GET', '/v1/pets/-9223372036854775809', {}],
  ['GET', '/v1/pets/rex', {}],
  ['GET', '/v1/pets/%31', {}],
  ['GET', '/v1/pets/', {}],
  ['GET', '/v1/pets/1/', {}],
  ['GET', '/V1/pets', {}],
  ['HEAD', '/v1/pets', {}],
  ['DELETE', '/v1/pets/1', {}],
]

const CONFIGURATIONS: [string, TestServerOptions][] = [
  ['as it comes', {}],
  ['with other origins', { corsOrigins: [ORIGIN] }],
  ['behind a proxy, under a public address', { trustProxy: 1, publicUrl: 'https://pets.example' }],
  ['with limits', { rateLimiting: { limit: LIMIT, limiter: createMemoryRateLimiter(LIMIT, () => 0) } }],
]

describe.each(CONFIGURATIONS)('The fast path, %s,', (_, options) => {
  it('answers and logs every request as Express does', async () => {
    const [fast, express] = await Promise.all(
      [true, false].map((hasFastPath) => answersOf({ ...options, hasFastPath })),
    )
    expect(fast).toEqual(express)
  })
})

async function answersOf(options: TestServerOptions): Promise<unknown[]> {
  // Limits are counted by an object that both would share.
  const { rateLimiting, ...rest } = options
  const limiter = rateLimiting && { ...rateLimiting, limiter: createMemoryRateLimiter(LIMIT, () => 0) }
  const server = await openTestServer({ ...rest, ...(limiter && { rateLimiting: limiter }) })
  const seen: unknown[] = []
  for (const [method, path, { headers = {}, ...sending }] of REQUESTS) {
    const typed = { ...('body' in sending && { 'Content-Type': 'application/json' }), ...headers }
    const { status, text, headers: given } = await server.send({ method, path, ...sending, headers: typed })
    seen.push([method, path, status, text, withoutChance(given, headers)])
  }
  await server.close()
  return [...seen, server.log.requests.map(({ requestId: _id, durationMs: _ms, ...entry }) => entry)]
}

interface Sending {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly key?: null
}

/** What differs from one request to the next anyway. */
function withoutChance({ date: _, ...headers }: Answer['headers'], sent: object): Answer['headers'] {
  return 'X-Request-Id' in sent ? headers : { ...headers, 'x-request-id': 'any' }
}

describe('Past Express', () => {
  it.each([
    ['GET', '/v1/pets', 'fast'],
    ['GET', '/v1/pets?limit=1', 'fast'],
    ['POST', '/v1/pets', 'fast'],
    ['GET', '/v1/pets/1', 'fast 1'],
    ['GET', '/v1/pets/-1?x', 'fast -1'],
    ['GET', '/v1/pets/%31', 'express'],
    ['GET', '/v1/pets/', 'express'],
    ['GET', '/v1/petshop', 'express'],
    ['GET', '/v1/pets/1/2', 'express'],
    ['HEAD', '/v1/pets', 'express'],
    ['DELETE', '/v1/pets/1', 'express'],
    ['POST', '/v1/pets/1', 'express'],
    ['GET', '/', 'express'],
  ])('%s %s goes %s', async (method, path, expected) => {
    const goOn: Handler = (_req, _res, next) => next()
    const answer: Handler<{ petId?: string }> = ({ params }, res) => {
      res.setHeader('X-Way', ['fast', params.petId].filter((part) => part !== undefined).join(' ')).end()
    }
    const open: Handler = (_req, res, next) => {
      res.locals = { headers: [] as string[] } as typeof res.locals
      next()
    }
    const operations = { listPets: answer, createPet: answer, getPet: answer }
    const steps: OperationSteps = { open, admit: [goOn], limit: [], operations, deprecation: [], answerError: () => {} }
    const port = await listening(fastPath(steps, (_req, res) => res.setHeader('X-Way', 'express').end()))
    const { headers } = await fetch(`http://127.0.0.1:${port}${path}`, { method })
    expect(headers.get('x-way')).toBe(expected)
  })
})

it('Whatever a step throws or rejects with is answered', async () => {
  for (const tokenCheck of [
    () => {
      throw new Error('thrown')
    },
    () => Promise.reject(new Error('rejected')),
  ]) {
    const server = await startTestServer({ tokenCheck })
    expect((await server.send({})).status).toBe(500)
    expect(server.log.faults).toHaveLength(1)
  }
})

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}
