import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPetServer } from '../server/create-pet-server.ts'
import { createMetricsApp } from './create-metrics-app.ts'

async function start(read = async () => 'pets 1\n') {
  const internalErrors: unknown[] = []
  const log = { request: () => {}, internalError: (error: unknown) => internalErrors.push(error) }
  const server = createPetServer(createMetricsApp({ contentType: 'text/plain; version=0.0.4', read }, log), log)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { internalErrors, get: (path: string, method = 'GET') => fetch(`${address}${path}`, { method }) }
}

describe('The metrics app', () => {
  it('gives the metrics as they are, to HEAD their length', async () => {
    const { get } = await start()
    const response = await get('/metrics')
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain; version=0.0.4',
      'cache-control': 'no-store',
    })
    expect(await response.text()).toBe('pets 1\n')
    expect((await get('/metrics', 'HEAD')).headers.get('content-length')).toBe('7')
  })

  it.each([
    ['/', 'GET', 404, 'not_found'],
    ['/metrics/', 'GET', 404, 'not_found'],
    ['/Metrics', 'GET', 404, 'not_found'],
    ['/v1/pets', 'GET', 404, 'not_found'],
    ['/metrics', 'POST', 405, 'method_not_allowed'],
  ])('responds with %s by %s with %i and the error body', async (path, method, status, code) => {
    const { get } = await start()
    const response = await get(path, method)
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ code, message: expect.any(String), status })
  })

  it('hides an internal error behind the error body, and logs it', async () => {
    const error = new Error('broken')
    const { get, internalErrors } = await start(() => Promise.reject(error))
    const response = await get('/metrics')
    expect(await response.json()).toMatchObject({ code: 'internal_error', status: 500 })
    expect(internalErrors).toEqual([error])
  })
})
