import type { Allowance } from '@pet-store/access'
import { createMemoryPets } from '@pet-store/domain/memory'
import { aNewPet } from '@pet-store/persistence-testing'
import { describe, expect, it } from 'vitest'
import { createMetrics } from './create-metrics.ts'
import { Durations } from './durations.ts'

const pool = { name: 'primary', busy: 3, idle: 2, waiting: 4, limit: 5 }
const log = { request() {}, internalError() {} }
const answered = { requestId: 'r', method: 'GET', status: 200, durationMs: 3, isComplete: true }

describe('The metrics', () => {
  it('put whatever clients make up under one label', async () => {
    const { observer, read } = createMetrics({ poolUse: () => [] })
    const watched = observer.log(log)
    for (const method of ['BREW', 'WHEN', undefined]) {
      const { method: _, ...rest } = answered
      watched.request(method === undefined ? rest : { ...rest, method })
    }
    expect(await read()).toContain(
      'pet_store_http_request_duration_seconds_count{method="other",route="unknown",status="200"} 3\n',
    )
  })

  it('count a use of getPet by its key, but no question for what the path can do', async () => {
    const { observer, read } = createMetrics({ poolUse: () => [] })
    const watched = observer.log(log)
    const use = { ...answered, route: '/v1/pets/{petId}', keyId: 'key_kiosk' }
    watched.request(use)
    watched.request({ ...use, method: 'OPTIONS' })
    watched.request({ ...answered, route: '/v1/pets/{petId}' })
    watched.request({ ...use, route: '/v1/pets' })
    expect((await read()).match(/^pet_store_deprecated_uses_total\{.*$/gm)).toEqual([
      'pet_store_deprecated_uses_total{key_id="key_kiosk"} 1',
    ])
  })

  it('count what a check of a key says, also later, and pass it on', async () => {
    const { observer, read } = createMetrics({ poolUse: () => [] })
    const caller = { keyId: 'key_kiosk', scopes: [] }
    const down = new Error('down')
    const verdicts = [
      caller,
      undefined,
      'too_many_look_ups',
      Promise.resolve(caller),
      Promise.resolve(undefined),
      Promise.reject(down),
    ] as const
    const seen = await Promise.allSettled(
      verdicts.map(async (verdict) => observer.tokenCheck(() => verdict)('key', () => '')),
    )
    expect(seen).toEqual(await Promise.allSettled(verdicts.map(async (verdict) => verdict)))
    expect((await read()).match(/^pet_store_key_checks_total\{.*$/gm)).toEqual([
      'pet_store_key_checks_total{result="good"} 2',
      'pet_store_key_checks_total{result="missing"} 0',
      'pet_store_key_checks_total{result="unknown"} 2',
      'pet_store_key_checks_total{result="too_many_look_ups"} 1',
      'pet_store_key_checks_total{result="error"} 1',
    ])
  })

  it('count what a limit says', async () => {
    const { observer, read } = createMetrics({ poolUse: () => [] })
    const allowances: Allowance[] = [true, false, false].map((isAllowed) => ({ isAllowed, remaining: 0, resetMs: 1 }))
    const limiter = observer.rateLimiter({ take: () => allowances.shift() as Allowance })
    for (const isAllowed of [true, false, false]) expect(await limiter.take('k')).toMatchObject({ isAllowed })
    expect(await read()).toContain('pet_store_rate_limit_decisions_total{decision="refused"} 2\n')
  })

  it('show how busy connections are at the moment of reading', async () => {
    const { read } = createMetrics({ poolUse: () => [pool] })
    expect((await read()).match(/^pet_store_pool_.*$/gm)).toEqual([
      'pet_store_pool_connections{pool="primary",state="busy"} 3',
      'pet_store_pool_connections{pool="primary",state="idle"} 2',
      'pet_store_pool_connections_limit{pool="primary"} 5',
      'pet_store_pool_waiting{pool="primary"} 4',
    ])
  })

  it('time storage without changing what it gives, or how it fails', async () => {
    const { observer, read } = createMetrics({ poolUse: () => [] })
    const pets = createMemoryPets()
    const watched = observer.repository(pets)
    const pet = await watched.add(aNewPet({ name: 'Rex' }))
    expect(pet).toEqual(await pets.find(pet.id))
    expect(await watched.find(pet.id)).toEqual(pet)
    expect(await watched.list({ limit: 2 })).toEqual([pet])
    const down = new Error('down')
    const broken = observer.repository({ ...watched, find: () => Promise.reject(down) })
    await expect(broken.find(1n)).rejects.toBe(down)
    const counts = (await read()).match(/^pet_store_storage_duration_seconds_count.*$/gm)
    expect(counts).toEqual([
      'pet_store_storage_duration_seconds_count{operation="add"} 1',
      'pet_store_storage_duration_seconds_count{operation="addWithKey"} 0',
      'pet_store_storage_duration_seconds_count{operation="find"} 2',
      'pet_store_storage_duration_seconds_count{operation="list"} 1',
    ])
  })
})

describe('Durations', () => {
  it('fall into the first bucket whose end they do not exceed, and into every later one', () => {
    const durations = new Durations()
    for (const milliseconds of [0, 0.5, 0.6, 10_000, 60_000]) durations.note(milliseconds)
    const values = durations.values('d', { a: 'b' })
    const bucket = (le: number | string) => values.find(({ labels }) => labels['le'] === le)?.value
    expect([bucket(0.0005), bucket(0.001), bucket(5), bucket(10), bucket('+Inf')]).toEqual([2, 3, 3, 4, 5])
    expect(values.find(({ metricName }) => metricName === 'd_sum')?.value).toBeCloseTo(70.0011, 9)
    expect(values.find(({ metricName }) => metricName === 'd_count')).toMatchObject({ labels: { a: 'b' }, value: 5 })
  })
})
