import { createDatabase, runSql } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import pg from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { Connection, requestBytes } from '../harness/connection.ts'
import { flood, quantile } from '../harness/flood.ts'
import { report, size } from '../harness/plan.ts'
import { Service } from '../harness/service.ts'
import { until, walkPets } from '../harness/writers.ts'

/** The service must fit a container of 512 MB. */
const MAX_MEMORY_MIB = 384
const petBody = (number: number): string => JSON.stringify({ name: `pet-${number}`, categoryId: number })
const CREATE = { path: '/v1/pets', bodyOf: petBody } as const

async function postgresService(settings: Record<string, string> = {}): Promise<{ service: Service; url: string }> {
  const { url, drop } = await createDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  return { service: await Service.start({ databaseUrl: url, settings }), url }
}

/** Keeps /livez and /readyz busy until it is stopped; the statuses that it saw, and the longest wait. */
function checkHealth(service: Service): { stop(): Promise<{ statuses: Set<number>; longestMs: number }> } {
  const statuses = new Set<number>()
  let longestMs = 0
  let isOver = false
  const checking = (async () => {
    while (!isOver) {
      const start = Date.now()
      statuses.add((await service.ask({ path: '/livez' }))?.status ?? 0)
      longestMs = Math.max(longestMs, Date.now() - start)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  return {
    async stop() {
      isOver = true
      await checking
      return { statuses, longestMs }
    },
  }
}

it.each(['SQLite', 'PostgreSQL'])('stays useful under more load than it can carry, on %s', async (database) => {
  const settings = { MAX_CONCURRENT_REQUESTS: '200' }
  const service =
    database === 'SQLite'
      ? await Service.start({ databaseUrl: 'sqlite:./pets.db', settings })
      : (await postgresService(settings)).service
  const requests = size(1_000, 20_000)
  await flood(service, { ...CREATE, requests: 1_000, connections: 32 })
  const startNormal = Date.now()
  const normal = await flood(service, { ...CREATE, requests, connections: 32 })
  const normalRate = requests / (Date.now() - startNormal)
  expect(normal.statuses).toEqual({ 201: requests })

  // Ten times as many clients as the bound, which repeat at once, and then ones that wait for Retry-After.
  const figures: Record<string, number> = {}
  for (const obeysRetryAfter of [false, true]) {
    const health = checkHealth(service)
    const start = Date.now()
    const overload = await flood(service, { ...CREATE, requests: requests * 3, connections: 2_000, obeysRetryAfter })
    const created = overload.statuses[201] ?? 0
    const { statuses, longestMs } = await health.stop()
    const name = obeysRetryAfter ? 'patient' : 'hasty'
    figures[`${name}PerSecond`] = Math.round((created * 1_000) / (Date.now() - start))
    figures[`${name}Created`] = created
    figures[`${name}Rejected`] = overload.statuses[503] ?? 0
    figures[`${name}P99Ms`] = quantile(overload.latenciesMs, 0.99)
    figures[`${name}LongestHealthMs`] = longestMs
    expect(Object.keys(overload.statuses)).toEqual(['201', '503'])
    expect(overload.withoutRetryAfter).toBe(0)
    expect([...statuses]).toEqual([200])
  }
  const memoryMiB = Math.round(service.memoryMiB('VmHWM'))

  const after = await flood(service, { ...CREATE, requests: 1_000, connections: 32 })
  report(`overload on ${database}`, {
    normalPerSecond: Math.round(normalRate * 1_000),
    normalP99Ms: quantile(normal.latenciesMs, 0.99),
    ...figures,
    memoryMiB,
  })
  expect(memoryMiB).toBeLessThan(MAX_MEMORY_MIB)
  expect(after.statuses).toEqual({ 201: 1_000 })
})

it('rejects what waits too long for a locked table, and stores none of it', async () => {
  const { service, url } = await postgresService({ DATABASE_STATEMENT_TIMEOUT: '1000' })
  await flood(service, { ...CREATE, requests: 10, connections: 1 })
  const locker = new pg.Client({ connectionString: url })
  await locker.connect()
  await locker.query('begin')
  await locker.query('lock table pet in exclusive mode')
  const requests = size(500, 4_000)
  // All get their response while the lock is held: it is released only afterwards.
  const { statuses, withoutRetryAfter } = await flood(service, { ...CREATE, requests, connections: requests })
  await locker.query('rollback')
  await locker.end()
  expect(statuses).toEqual({ 503: requests })
  expect(withoutRetryAfter).toBe(0)
  const stored = (await walkPets(service)).length
  report('locked table', { requests, stored, memoryMiB: Math.round(service.memoryMiB('VmHWM')) })
  expect(stored).toBe(10)
  expect((await flood(service, { ...CREATE, requests: 100, connections: 8 })).statuses).toEqual({ 201: 100 })
})

it.each([
  { what: 'reads', request: requestBytesOf({ path: '/v1/pets?limit=100' }) },
  { what: 'writes', request: requestBytesOf({ method: 'POST', path: '/v1/pets', body: petBody(1) }) },
])('holds little memory for a client that pipelines $what and reads nothing', async ({ request }) => {
  const { service, url } = await postgresService()
  await flood(service, { ...CREATE, requests: 200, connections: 8 })
  const before = service.memoryMiB()
  const bytes = request(service.key).repeat(1_000)
  const connections = await Promise.all(Array.from({ length: 4 }, () => Connection.open(service.port)))
  for (const connection of connections) connection.socket.pause()
  let written = 0
  const end = Date.now() + size(1_500, 20_000)
  while (Date.now() < end) {
    for (const { socket } of connections) {
      if (socket.destroyed || socket.writableLength > 1024 * 1024) continue
      socket.write(bytes)
      written += 1_000
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect((await service.ask({ path: '/livez' }))?.status).toBe(200)
  const growthMiB = Math.round(service.memoryMiB('VmHWM') - before)
  const stored = async () => Number((await runSql<{ count: string }>(url, 'select count(*) from pet'))[0]?.count)
  const storedAtLeave = await stored()
  for (const connection of connections) connection.destroy()
  // What nobody waits for any more is not worked off: the number of pets stands still soon.
  let last = -1
  await until('no more pets are stored', async () => {
    const before = last
    last = await stored()
    return last === before
  })
  report('pipelining without reading', { written, growthMiB, storedAtLeave, storedAfterwards: last - storedAtLeave })
  expect(growthMiB).toBeLessThan(224)
  expect(last - storedAtLeave).toBeLessThan(1_000)
})

function requestBytesOf(request: Parameters<typeof requestBytes>[0]): (key: string) => string {
  return (key) => requestBytes({ ...request, key })
}
