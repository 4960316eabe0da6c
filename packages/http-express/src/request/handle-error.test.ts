import type { AddressInfo } from 'node:net'
import { PetError, type PetErrorCode } from '@pet-store/domain'
import { RawConnection } from '@pet-store/testing'
import express, { type RequestHandler } from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { createPetServer } from '../server/create-pet-server.ts'
import { expectError } from '../testing/expect-error.test-support.ts'
import { handleError } from './handle-error.ts'
import { errorHandlerForExpress, forExpress } from './handler.ts'
import type { HttpLog } from './http-log.ts'
import { openRequest } from './open-request.ts'

/** A connection to an app with one route, and the internalErrors that the app logged. */
async function serve(
  route: RequestHandler,
): Promise<{ connection: RawConnection; internalErrors: unknown[] }> {
  const internalErrors: unknown[] = []
  const log: HttpLog = { request: () => {}, internalError: (error) => internalErrors.push(error) }
  const app = express()
    .use(forExpress(openRequest(log, [], () => undefined)))
    .use(route)
    .use(errorHandlerForExpress(handleError(log)))
  const server = createPetServer(app, log).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const connection = new RawConnection((server.address() as AddressInfo).port)
  return {
    connection: connection.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    internalErrors,
  }
}

it('an error of the domain with an unknown code is an internal error', async () => {
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

it('an error after half a response closes the connection', async () => {
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
