import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ask, quantile, RawConnection, requestBytes } from '@pet-store/testing'
import { freePort } from '@pet-store/testing-postgres'
import { expect } from 'vitest'
import { chartsSvg } from '../harness/charts-svg.ts'
import { emptyDatabase, KINDS } from '../harness/database.ts'
import { flood } from '../harness/load.ts'
import { itSoak, report } from '../harness/plan.ts'
import { Service } from '../harness/service.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10)
/** Requests a second; absent for half of what the service can serve. */
const PER_SECOND = process.env['SOAK_PER_SECOND']
const SAMPLES = 120
const CONNECTIONS = 16
const FOLDER = fileURLToPath(new URL('../../../../docs/reliability/', import.meta.url))

const CHARTS = {
  rssMiB: 'resident memory, MiB',
  heapMiB: 'used heap after a forced collection, MiB',
  handles: 'open handles',
  lagMs: 'longest event-loop delay, ms',
  p99Ms: 'response time, 99%, ms',
} as const

type Sample = Record<keyof typeof CHARTS, number>

itSoak.each(KINDS)('holds memory, handles and delays at half load, on %s', async (database) => {
  const metricsPort = await freePort()
  const service = await Service.start({
    databaseUrl: await emptyDatabase(database),
    settings: { METRICS_PORT: String(metricsPort) },
    // What is left of the heap after a collection shows a leak; what is used at any moment does not.
    nodeFlags: ['--expose-gc', '--import', "data:text/javascript,process.on('SIGWINCH',()=>gc())"],
  })
  await flood(service, { requests: 2_000, connections: CONNECTIONS })
  const start = Date.now()
  const full = await flood(service, { path: '/v1/pets?limit=20', requests: 20_000, connections: CONNECTIONS })
  expect(full.statuses).toEqual({ 200: 20_000 })
  const perSecond = PER_SECOND === undefined ? 10_000_000 / (Date.now() - start) : Number(PER_SECOND)

  const samples: Sample[] = []
  const failures = new Map<number, number>()
  let latencies: number[] = []
  let isOver = false
  let sent = 0
  const load = Array.from({ length: CONNECTIONS }, async (_, client) => {
    const connection = await RawConnection.open(service.port)
    for (let number = 0; !isOver; number += 1) {
      const due = start + ((number * CONNECTIONS + client) / perSecond) * 1_000
      const early = due - Date.now()
      if (early > 0) await setTimeout(early)
      const request = requestOf(number, client)
      const before = Date.now()
      const response = await connection.write(requestBytes({ ...request, key: service.key })).nextResponse()
      sent += 1
      latencies.push(Date.now() - before)
      if (response === undefined || response.status >= 300)
        failures.set(response?.status ?? 0, (failures.get(response?.status ?? 0) ?? 0) + 1)
      if (response === undefined) break
    }
    connection.socket.destroy()
  })
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    await setTimeout((MINUTES * 60_000) / SAMPLES)
    process.kill(service.process.pid, 'SIGWINCH')
    await setTimeout(100)
    const metrics = (await ask(metricsPort, { path: '/metrics' }))?.text ?? ''
    samples.push({
      rssMiB: metric(metrics, 'process_resident_memory_bytes') / 1024 ** 2,
      heapMiB: metric(metrics, 'nodejs_heap_size_used_bytes') / 1024 ** 2,
      handles: metric(metrics, 'nodejs_active_handles_total'),
      lagMs: metric(metrics, 'nodejs_eventloop_lag_max_seconds') * 1_000,
      p99Ms: quantile(latencies, 0.99),
    })
    latencies = []
  }
  isOver = true
  await Promise.all(load)

  const charts = Object.entries(CHARTS).map(([name, title]) => ({
    title,
    values: samples.map((sample) => sample[name as keyof Sample]),
  }))
  mkdirSync(FOLDER, { recursive: true })
  const share = PER_SECOND === undefined ? ', half of what it serves' : ''
  const caption = `${database}: ${MINUTES} minutes at ${Math.round(perSecond).toLocaleString('en')} requests a second${share}`
  writeFileSync(`${FOLDER}soak-${database.toLowerCase()}.svg`, chartsSvg(caption, charts))
  const [first, last] = [samples.slice(SAMPLES / 4, SAMPLES / 2), samples.slice(-SAMPLES / 4)]
  const medianOf = (part: readonly Sample[], name: keyof Sample) =>
    Math.round(
      quantile(
        part.map((one) => one[name]),
        0.5,
      ),
    )
  report(`soak on ${database}`, {
    minutes: MINUTES,
    requests: sent,
    heapMiBEarly: medianOf(first, 'heapMiB'),
    heapMiBLate: medianOf(last, 'heapMiB'),
    rssMiBEarly: medianOf(first, 'rssMiB'),
    rssMiBLate: medianOf(last, 'rssMiB'),
    handlesEarly: medianOf(first, 'handles'),
    handlesLate: medianOf(last, 'handles'),
    p99MsEarly: medianOf(first, 'p99Ms'),
    p99MsLate: medianOf(last, 'p99Ms'),
    longestLagMs: Math.round(Math.max(...samples.map(({ lagMs }) => lagMs))),
  })
  expect([...failures]).toEqual([])
  expect(medianOf(last, 'handles')).toBeLessThanOrEqual(medianOf(first, 'handles') + 2)
  expect(medianOf(last, 'heapMiB')).toBeLessThan(medianOf(first, 'heapMiB') * 1.1)
  expect(medianOf(last, 'rssMiB')).toBeLessThan(medianOf(first, 'rssMiB') * 1.3)
})

/** Lists mostly, with some pets read and a few created. */
function requestOf(number: number, client: number): { method?: string; path: string; body?: string } {
  const kind = (number * CONNECTIONS + client) % 50
  if (kind === 0)
    return { method: 'POST', path: '/v1/pets', body: JSON.stringify({ name: `soak-${number}`, categoryId: client }) }
  return { path: kind < 20 ? `/v1/pets/${1 + (number % 2_000)}` : '/v1/pets?limit=20' }
}

function metric(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
}
