import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMetricsApp } from './create-metrics-app.ts'
import { createPetServer } from './create-pet-server.ts'

async function start(read = async () => 'pets 1\n') {
  const faults: unknown[] = []
  const log = { request: () => {}, fault: (error: unknown) => faults.push(error) }
  const server = createPetServer(createMetricsApp({ contentType: 'text/plain; version=0.0.4', read }, log), log)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { faults, get: (path: string, method = 'GET') => fetch(`${address}${path}`, { method }) }
}

describe('The metrics app', () => {
  it('gives the metrics as they are, to HEAD their length', async () => {
    const { get } = await start()
    const answer = await get('/metrics')
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain; version=0.0.4',
      'cache-control': 'no-store',
    })
    expect(await answer.text()).toBe('pets 1\n')
    expect((await get('/metrics', 'HEAD')).headers.get('content-length')).toBe('7')
  })

  it.each([
    ['/', 'GET', 404, 'not_found'],
    ['/metrics/', 'GET', 404, 'not_found'],
    ['/Metrics', 'GET', 404, 'not_found'],
    ['/v1/pets', 'GET', 404, 'not_found'],
    ['/metrics', 'POST', 405, 'method_not_allowed'],
  ])('answers %s by %s with %i and the error body', async (path, method, status, code) => {
    const { get } = await start()
    const answer = await get(path, method)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toEqual({ code, message: expect.any(String), status })
  })

  it('hides a fault of ours behind the error body, and logs it', async () => {
    const fault = new Error('broken')
    const { get, faults } = await start(() => Promise.reject(fault))
    const answer = await get('/metrics')
    expect(await answer.json()).toMatchObject({ code: 'internal_error', status: 500 })
    expect(faults).toEqual([fault])
  })
})
