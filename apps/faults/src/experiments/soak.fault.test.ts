import { setTimeout } from 'node:timers/promises'
import { ask, quantile, requestBytes, runOpenLoopInOwnProcess } from '@pet-store/testing'
import { freePort } from '@pet-store/testing-postgres'
import { expect } from 'vitest'
import { emptyDatabase, KINDS } from '../harness/database.ts'
import { itSoak, report } from '../harness/experiment.ts'
import { flood, petBody } from '../harness/load.ts'
import { Service } from '../harness/service.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10)
/** Requests a second; absent for half of what the service can serve. */
const PER_SECOND = process.env['SOAK_PER_SECOND']
const SAMPLES = 120
const CONNECTIONS = 16

/** What is compared between the beginning and the end, by its name in the metrics. */
const METRICS = {
  rssMiB: ['process_resident_memory_bytes', 1024 ** 2],
  heapMiB: ['nodejs_heap_size_used_bytes', 1024 ** 2],
  handles: ['nodejs_active_handles_total', 1],
  lagMs: ['nodejs_eventloop_lag_max_seconds', 0.001],
} as const
type Sample = Record<keyof typeof METRICS | 'p99Ms', number>

itSoak.each(KINDS)(
  'the service holds memory, handles and delays at half load, on %s',
  async (database) => {
    const metricsPort = await freePort()
    const service = await Service.start({
      databaseUrl: await emptyDatabase(database),
      settings: { METRICS_PORT: String(metricsPort) },
      // What is left of the heap after a collection shows a leak; what is used at any moment does
      // not.
      nodeFlags: [
        '--expose-gc',
        '--import',
        "data:text/javascript,process.on('SIGWINCH',()=>gc())",
      ],
    })
    await flood(service, { requests: 2_000, connections: CONNECTIONS })
    const start = Date.now()
    const full = await flood(service, {
      path: '/v1/pets?limit=20',
      requests: 20_000,
      connections: CONNECTIONS,
    })
    expect(full.statuses).toEqual({ 200: 20_000 })
    const loop = {
      port: service.port,
      requests: requestsWith(service.key),
      requestsPerSecond:
        PER_SECOND === undefined ? 10_000_000 / (Date.now() - start) : Number(PER_SECOND),
      durationMs: (MINUTES * 60_000) / SAMPLES,
      connections: CONNECTIONS,
      whenBusy: 'wait',
    } as const
    const samples: Sample[] = []
    const failures = new Set<number>()
    let sent = 0
    while (samples.length < SAMPLES) {
      const { outcomes } = await runOpenLoopInOwnProcess(loop)
      sent += outcomes.length
      for (const { status } of outcomes) if (status === 0 || status >= 300) failures.add(status)
      process.kill(service.process.pid, 'SIGWINCH')
      await setTimeout(100)
      const text = (await ask(metricsPort, { path: '/metrics' }))?.text ?? ''
      const values = Object.entries(METRICS).map(([name, [metric, unit]]) => {
        const [, value] = new RegExp(`^${metric} (\\S+)$`, 'm').exec(text) ?? []
        return [name, Number(value) / unit]
      })
      const latenciesMs = outcomes.map(({ latencyMs }) => latencyMs)
      samples.push({
        ...(Object.fromEntries(values) as Sample),
        p99Ms: quantile(latenciesMs, 0.99),
      })
    }

    const early = mediansOf(samples.slice(SAMPLES / 4, SAMPLES / 2))
    const late = mediansOf(samples.slice(-SAMPLES / 4))
    const figures = Object.keys(early).map((name) => [
      name,
      `${early[name as keyof Sample]} to ${late[name as keyof Sample]}`,
    ])
    report(`soak on ${database}`, {
      minutes: MINUTES,
      requests: sent,
      ...Object.fromEntries(figures),
    })
    expect([...failures]).toEqual([])
    expect(late.handles).toBeLessThanOrEqual(early.handles + 2)
    expect(late.heapMiB).toBeLessThan(early.heapMiB * 1.1)
    expect(late.rssMiB).toBeLessThan(early.rssMiB * 1.3)
  },
)

function mediansOf(samples: readonly Sample[]): Sample {
  const names = Object.keys(samples[0] ?? {}) as (keyof Sample)[]
  const medianOf = (name: keyof Sample) =>
    Math.round(
      quantile(
        samples.map((sample) => sample[name]),
        0.5,
      ),
    )
  return Object.fromEntries(names.map((name) => [name, medianOf(name)])) as Sample
}

/** Lists mostly, with some pets read and one created. */
function requestsWith(key: string): readonly string[] {
  return Array.from({ length: 50 }, (_, number) => {
    if (number === 0)
      return requestBytes({ method: 'POST', path: '/v1/pets', key, body: petBody(number) })
    return requestBytes({
      path: number < 20 ? `/v1/pets/${100 * number}` : '/v1/pets?limit=20',
      key,
    })
  })
}
