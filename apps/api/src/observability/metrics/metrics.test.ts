import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createMemoryPets } from '@pet-store/domain/memory'
import type { HttpLog, RequestEntry } from '@pet-store/http-express'
import { aNewPet } from '@pet-store/persistence-testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NO_REPORTS } from '../reports.ts'
import { openMetrics } from './metrics.ts'

const LOG: HttpLog = { request() {}, internalError() {} }
const COUNT = 'pet_store_http_request_duration_seconds_count'
const REQUEST: RequestEntry = {
  requestId: 'r',
  method: 'GET',
  status: 200,
  durationMs: 3,
  isComplete: true,
}

function create(droppedLogLines = () => 0, onBackgroundFailure = (_error: unknown) => {}) {
  const metrics = openMetrics({ log: LOG, droppedLogLines, onBackgroundFailure })
  const lines = async (pattern: RegExp) =>
    (await metrics.read()).match(new RegExp(`^${pattern.source}.*$`, 'gm'))
  return { ...metrics, lines }
}

describe('The metrics', () => {
  it('metrics show every described response with 0 before anything happens', async () => {
    const { lines } = create()
    const shown = await lines(/pet_store_http_request_duration_seconds_count/)
    expect(shown).toContain(`${COUNT}{method="POST",route="/v1/pets",status="503"} 0`)
    expect(shown).toContain(`${COUNT}{method="GET",route="/v1/pets/{petId}",status="404"} 0`)
  })

  it('metrics show at each scrape which check of readiness does not pass', async () => {
    const { showReadiness, lines } = create()
    let database = 'ok'
    showReadiness(async () => ({ database, migrations: 'are pending', process: 'ok' }))
    const shown = () => lines(/pet_store_ready\{/)
    expect(await shown()).toEqual([
      'pet_store_ready{check="database"} 1',
      'pet_store_ready{check="migrations"} 0',
      'pet_store_ready{check="process"} 1',
    ])
    database = 'is unavailable'
    expect(await shown()).toContain('pet_store_ready{check="database"} 0')
  })

  it('metrics show what waits in each queue, and how much may', async () => {
    const { showPools, showRequestQueue, lines } = create()
    const pool = { name: 'primary', busy: 1, idle: 0, waiting: 38, waitingLimit: 10_000, limit: 1 }
    showPools(() => [pool, { ...pool, name: 'sqlite', waiting: 2, waitingLimit: undefined }])
    let waiting = 0
    showRequestQueue(() => ({ waiting, limit: 4_000 }))
    waiting = 7
    expect(await lines(/pet_store_queue_/)).toEqual([
      'pet_store_queue_waiting{queue="primary"} 38',
      'pet_store_queue_waiting{queue="sqlite"} 2',
      'pet_store_queue_waiting{queue="requests"} 7',
      'pet_store_queue_limit{queue="primary"} 10000',
      'pet_store_queue_limit{queue="requests"} 4000',
    ])
  })

  it('metrics count requests in flight, with one label for what clients make up', async () => {
    const { log: counted, lines } = create()
    const log = counted(LOG)
    const { method: _, ...unparsed } = REQUEST
    const entries = [{ ...REQUEST, method: 'BREW' }, { ...REQUEST, method: 'WHEN' }, unparsed]
    for (let begun = 0; begun <= entries.length; begun += 1) log.begin?.()
    for (const entry of entries) log.request(entry)
    expect(await lines(/pet_store_http_requests_in_flight/)).toEqual([
      'pet_store_http_requests_in_flight 1',
    ])
    const labels =
      /pet_store_http_request_duration_seconds_count\{method="other",route="unknown",status="200"\}/
    expect(await lines(labels)).toEqual([expect.stringMatching(/ 3$/)])
  })

  it('metrics count a use of getPet by its key, but no OPTIONS of its path', async () => {
    const { log: counted, lines } = create()
    const log = counted(LOG)
    const use = { ...REQUEST, route: '/v1/pets/{petId}', keyId: 'key_kiosk' }
    log.request(use)
    log.request({ ...use, method: 'OPTIONS' })
    log.request({ ...REQUEST, route: '/v1/pets/{petId}' })
    log.request({ ...use, route: '/v1/pets' })
    expect(await lines(/pet_store_deprecated_uses_total\{/)).toEqual([
      'pet_store_deprecated_uses_total{key_id="key_kiosk"} 1',
    ])
  })

  it('metrics count the results of key checks, synchronous or not, and pass them on', async () => {
    const { tokenCheck, lines } = create()
    const caller = { keyId: 'key_kiosk', scopes: [] }
    const down = new Error('down')
    const results = [
      caller,
      undefined,
      'too_many_look_ups',
      Promise.resolve(caller),
      Promise.resolve(undefined),
      Promise.reject(down),
    ] as const
    const seen = await Promise.allSettled(
      results.map(async (result) => tokenCheck(() => result)('key', () => '')),
    )
    expect(seen).toEqual(await Promise.allSettled(results.map(async (result) => result)))
    expect(await lines(/pet_store_key_checks_total\{/)).toEqual([
      'pet_store_key_checks_total{result="valid"} 2',
      'pet_store_key_checks_total{result="invalid"} 2',
      'pet_store_key_checks_total{result="too_many_look_ups"} 1',
      'pet_store_key_checks_total{result="error"} 1',
    ])
  })

  it('metrics show failures in the background, dropped log lines and the version', async () => {
    let dropped = 0
    const failures: unknown[] = []
    const { onBackgroundFailure, read } = create(
      () => dropped,
      (error) => failures.push(error),
    )
    onBackgroundFailure('down')
    expect(failures).toEqual(['down'])
    expect(await read()).toContain('pet_store_background_failures_total 1\n')
    expect(await read()).toContain('pet_store_log_lines_dropped_total 0\n')
    dropped = 3
    await read()
    expect(await read()).toContain('pet_store_log_lines_dropped_total 3\n')
    expect(await read()).toMatch(/^pet_store_build_info\{version="\d+\.\d+\.\d+"\} 1$/m)
  })

  it('metrics time the repository without changing its results or errors', async () => {
    const { repository, lines } = create()
    const pets = createMemoryPets()
    const timed = repository(pets)
    const pet = await timed.add(aNewPet({ name: 'Rex' }))
    expect(pet).toEqual(await pets.find(pet.id))
    expect(await timed.find(pet.id)).toEqual(pet)
    expect(await timed.list({ limit: 2 })).toEqual([pet])
    const down = new Error('down')
    const broken = repository({ ...timed, find: () => Promise.reject(down) })
    await expect(broken.find(1n)).rejects.toBe(down)
    const counts = (await lines(/pet_store_persistence_duration_seconds_count/))?.join('\n')
    for (const count of ['add"} 1', 'addWithKey"} 0', 'find"} 2', 'list"} 1'])
      expect(counts).toContain(`="${count}`)
  })

  it('metrics are served at one path, and errors have the error body without a cause', async () => {
    const errors: unknown[] = []
    const down = new Error('down')
    const pools = vi.fn(() => [])
    const log = { ...LOG, internalError: (error: unknown) => errors.push(error) }
    const { metricsServer, showPools, close } = openMetrics({ ...NO_REPORTS, log })
    showPools(pools)
    onTestFinished(close)
    await once(metricsServer.listen(0, '127.0.0.1'), 'listening')
    const { port } = metricsServer.address() as AddressInfo
    const get = (path: string, method = 'GET') =>
      fetch(`http://127.0.0.1:${port}${path}`, { method })
    const response = await get('/metrics')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain; version=/),
    ])
    expect(await response.text()).toContain('pet_store_build_info')
    async function expectError(code: string, status: number, path: string, method = 'GET') {
      const failed = await get(path, method)
      expect([failed.status, await failed.json()]).toEqual([
        status,
        { code, message: expect.not.stringContaining('down') as string, status },
      ])
    }
    for (const path of ['/', '/metrics/', '/v1/pets']) await expectError('not_found', 404, path)
    await expectError('method_not_allowed', 405, '/metrics', 'POST')
    pools.mockImplementation(() => {
      throw down
    })
    await expectError('internal_error', 500, '/metrics')
    expect(errors).toEqual([down])
  })
})
