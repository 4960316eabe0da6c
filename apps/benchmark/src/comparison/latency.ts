import { quantile, runOpenLoop } from '@pet-store/testing'
import { figureOf, rotate, type Series } from '../measuring/rotation.ts'
import { THROUGHPUT } from '../measuring/slice.ts'
import { MIXED } from '../requests/operations.ts'
import type { Contestant } from '../servers/contestants.ts'
import type { Plan } from './plan.ts'
import type { Measurement, Running } from './running.ts'

/** Mixed requests at planned times for a moment. */
export interface LatencySlice {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** What one contestant did at one rate. */
export interface Latency {
  readonly contestant: Contestant
  /** The part of the peak. */
  readonly part: number
  readonly requestsPerSecond: number
  readonly series: Series<LatencySlice>
}

/** Parts of what the slower of our service and the baseline serves at most, so that both can serve each. */
const RATES = [0.25, 0.5, 0.75]
const CONNECTIONS = 128

/**
 * Measures mixed requests by the baseline and our service. Each rate is measured in many short slices in turn, and the
 * figure is the middle of theirs: where the host of a virtual machine stops everything for some hundredths of a second,
 * one slice has a p99 that says nothing of the server.
 */
export function measureLatency(
  all: readonly Running[],
  measurements: readonly Measurement[],
  { rounds, sliceMs }: Plan['latency'],
  log: (line: string) => void,
): Promise<Latency[]> {
  const compared = all.slice(0, 2)
  const ofCompared = ({ contestant, operation }: Measurement) =>
    operation === MIXED && compared.some((running) => running.contestant === contestant)
  const peaks = measurements.filter(ofCompared).map(({ series }) => figureOf(series, THROUGHPUT).middle)
  const heats = RATES.map((part) => {
    const requestsPerSecond = part * Math.min(...peaks)
    return compared.map((running) => ({
      info: { contestant: running.contestant, part, requestsPerSecond },
      take: () => takeLatencySlice(running, requestsPerSecond, sliceMs),
    }))
  })
  return rotate(heats, rounds, (line) => log(`latency, ${line}`))
}

async function takeLatencySlice(running: Running, requestsPerSecond: number, durationMs: number) {
  const requests = running.requests.get(MIXED)?.map(({ bytes }) => bytes) ?? []
  const [{ port }] = running.servers
  const load = { port, connections: CONNECTIONS, requests, requestsPerSecond, durationMs }
  const { outcomes, added } = await runOpenLoop({ ...load, whenBusy: 'wait' })
  running.added += added
  const wrong = outcomes.find(({ status }) => status !== 200 && status !== 201)
  if (wrong !== undefined) throw new Error(`A response at a planned time has the status ${wrong.status}.`)
  const latencies = outcomes.map(({ latencyMs }) => latencyMs)
  return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) }
}
