import { type AddressInfo, connect } from 'node:net'
import { PetError, type PetErrorCode } from '@pet-store/domain'
import express, { type RequestHandler } from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { answerError } from './answer-error.ts'
import { createPetServer } from './create-pet-server.ts'
import { expectError } from './expect-error.test-support.ts'
import type { HttpLog } from './http-log.ts'
import { openRequest } from './open-request.ts'
import { RawConnection } from './raw-connection.test-support.ts'

/** A connection to an app with one route, and the faults that the app logged. */
async function serve(route: RequestHandler): Promise<{ connection: RawConnection; faults: unknown[] }> {
  const faults: unknown[] = []
  const log: HttpLog = { request: () => {}, fault: (error) => faults.push(error) }
  const app = express()
    .use(openRequest(log, [], () => undefined))
    .use(route)
    .use(answerError(log))
  const server = createPetServer(app, log).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const connection = new RawConnection(connect((server.address() as AddressInfo).port, '127.0.0.1'))
  return { connection: connection.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), faults }
}

it('an error of the domain whose code nobody knows is a fault of ours', async () => {
  const error = new PetError('pet_on_holiday' as PetErrorCode, 'not for callers')
  const { connection, faults } = await serve(() => Promise.reject(error))
  expect(expectError(await connection.answer(), 'internal_error')).not.toContain('callers')
  expect(faults).toEqual([error])
})

it.each(['text', 1, { code: 'pet_invalid', message: 'no error' }])('a thrown %j is a fault of ours', async (thrown) => {
  const { connection, faults } = await serve((_req, _res, next) => next(thrown))
  expectError(await connection.answer(), 'internal_error')
  expect(faults).toHaveLength(1)
})

it('a fault after half an answer breaks the connection off, so that nobody takes the half for the whole', async () => {
  const error = new Error('the second half is missing')
  const { connection, faults } = await serve((_req, res) => {
    res.writeHead(200, { 'Content-Length': 10 }).write('half')
    throw error
  })
  await expect(connection.answer()).rejects.toThrow('The connection closed')
  expect(faults).toEqual([error])
})

it('a fault after the whole answer is logged', async () => {
  const error = new Error('too late to matter')
  const { connection, faults } = await serve((_req, res) => {
    res.writeHead(200, { 'Content-Length': 2 }).end('ok')
    throw error
  })
  expect((await connection.answer()).text).toBe('ok')
  expect(faults).toEqual([error])
})
