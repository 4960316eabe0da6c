import type { AddressInfo } from 'node:net'
import { PetError, type PetErrorCode, type WriteOutcome } from '@pet-store/domain'
import { RawConnection } from '@pet-store/testing'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPetServer } from '../server/create-pet-server.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { failingWith, startTestServer } from '../testing/start-test-server.test-support.ts'
import { handleError } from './handle-error.ts'
import { type HttpLog, openRequest } from './open-request.ts'

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

describe('while the database is unavailable', () => {
  it.each([
    ['GET', '/v1/pets'],
    ['GET', '/v1/pets/1'],
    ['POST', '/v1/pets'],
  ])('%s %s is 503 with Retry-After, and the log has the cause', async (method, path) => {
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
  })

  it.each([
    ['not_stored', {}, 'The pet was not added: the service cannot reach its database at present.'],
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
      'The service cannot reach its database at present. An earlier request with the same Idempotency-Key may have added the pet: repeat it with that key to find out.',
    ],
  ] as const)(
    'a POST says what is known of its pet: %s with %j',
    async (outcome, headers, message) => {
      const fail = unavailable(outcome)
      const server = await startTestServer({ repository: failingWith(fail) })
      expect(expectError(await server.post(PET, { headers }), 'service_unavailable')).toBe(message)
    },
  )

  it('a key that has to be looked up is 503 too, and its POST adds nothing', async () => {
    const server = await startTestServer({ tokenCheck: unavailable() })
    const response = await server.send({})
    expectError(response, 'service_unavailable')
    expect(response.headers['retry-after']).toBeDefined()
    expect(expectError(await server.post(PET), 'service_unavailable')).toContain('was not added')
  })

  it('a rate limiter that fails in an unknown way has not added the pet', async () => {
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
})

/** A connection to an app with one route, and the internalErrors that the app logged. */
async function serve(
  route: RequestHandler,
): Promise<{ connection: RawConnection; internalErrors: unknown[] }> {
  const internalErrors: unknown[] = []
  const log: HttpLog = { request: () => {}, internalError: (error) => internalErrors.push(error) }
  const app = express()
    .use(openRequest(log, [], () => undefined))
    .use(route)
    .use(handleError(log))
  const server = createPetServer(app, log).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const connection = new RawConnection((server.address() as AddressInfo).port)
  return {
    connection: connection.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    internalErrors,
  }
}

it('an error of the domain whose code nobody knows is an internal error', async () => {
  const error = new PetError('pet_on_holiday' as PetErrorCode, 'not for clients')
  const { connection, internalErrors } = await serve(() => Promise.reject(error))
  expect(expectError(await connection.response(), 'internal_error')).not.toContain('clients')
  expect(internalErrors).toEqual([error])
})

it.each(['text', 1, { code: 'pet_invalid', message: 'no error' }])(
  'a thrown %j is an internal error',
  async (thrown) => {
    const { connection, internalErrors } = await serve((_req, _res, next) => next(thrown))
    expectError(await connection.response(), 'internal_error')
    expect(internalErrors).toHaveLength(1)
  },
)

it('an error after half a response breaks the connection off', async () => {
  const error = new Error('the second half is missing')
  const { connection, internalErrors } = await serve((_req, res) => {
    res.writeHead(200, { 'Content-Length': 10 }).write('half')
    throw error
  })
  await expect(connection.response()).rejects.toThrow('The connection closed')
  expect(internalErrors).toEqual([error])
})

it('an error after the whole response is logged', async () => {
  const error = new Error('too late to matter')
  const { connection, internalErrors } = await serve((_req, res) => {
    res.writeHead(200, { 'Content-Length': 2 }).end('ok')
    throw error
  })
  expect((await connection.response()).text).toBe('ok')
  expect(internalErrors).toEqual([error])
})
