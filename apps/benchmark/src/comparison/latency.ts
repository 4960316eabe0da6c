import { quantile, runOpenLoop } from '@pet-store/testing'
import { middleOf, rotate, type Series } from '../measuring/rotation.ts'
import { MIXED } from '../requests/operations.ts'
import type { CheckedRequest } from '../requests/request.ts'
import type { Plan } from './plan.ts'
import type { Measurement, Running } from './running.ts'

/** The latency of our service beside the baseline's, at the same rate. */
export interface Latency {
  readonly requestsPerSecond: number
  readonly series: Series<Readonly<Record<'p50Ms' | 'p99Ms', number>>>
}

/** The rate of the requests, as a share of the lower peak of our service and the baseline. */
const SHARE_OF_PEAK = 0.5
const CONNECTIONS = 128

/**
 * Measures the latency of mixed requests to the baseline and our service, in many short slices. The
 * result is the median of the slices, because the host of a virtual machine may stop it for some
 * hundredths of a second, which determines the p99 of that slice. `undefined` if the two were not
 * compared with mixed requests.
 */
export async function measureLatency(
  all: readonly Running[],
  measurements: readonly Measurement[],
  { rounds, sliceMs: durationMs }: Plan['latency'],
  log: (line: string) => void,
): Promise<Latency | undefined> {
  const mixed = measurements.filter(({ operation }) => operation === MIXED).slice(0, 2)
  if (mixed.length < 2) return undefined
  const peaks = mixed.map(({ series }) => middleOf(series.slices, 'requestsPerSecond'))
  const requestsPerSecond = SHARE_OF_PEAK * Math.min(...peaks)
  const load = {
    connections: CONNECTIONS,
    requestsPerSecond,
    durationMs,
    whenBusy: 'wait',
  } as const

  async function take(running: Running) {
    const mixed = running.requests.get(MIXED) ?? []
    // More than are sent: each creation has a key of its own.
    const count =
      CONNECTIONS + mixed.length + 2 * Math.ceil((requestsPerSecond * durationMs) / 1_000)
    const requests = Array.from({ length: count }, (_, index) => bytesOf(mixed, index))
    const { outcomes, added } = await runOpenLoop({
      port: running.servers[0].port,
      requests,
      ...load,
    })
    running.added += added
    const wrong = outcomes.find(({ status }) => status !== 200 && status !== 201)
    if (wrong !== undefined)
      throw new Error(`A response at a planned time has the status ${wrong.status}.`)
    const latencies = outcomes.map(({ latencyMs }) => latencyMs)
    return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) }
  }

  const [, service] = await rotate([all.slice(0, 2)], take, rounds, (line) =>
    log(`latency, ${line}`),
  )
  return service && { requestsPerSecond, series: service.series }
}

function bytesOf(requests: readonly CheckedRequest[], index: number): string {
  return requests[index % requests.length]?.bytes ?? ''
}
