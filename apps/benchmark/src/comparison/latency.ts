import { sendAtPlannedTimes } from '../measuring/open-loop.ts'
import { figureOf } from '../measuring/rotation.ts'
import { quantile } from '../measuring/statistics.ts'
import { MIXED } from '../requests/operations.ts'
import type { Contestant } from '../servers/contestants.ts'
import type { Plan } from './plan.ts'
import type { Measurement, Running } from './running.ts'

/** Latency at one rate, from the planned time of each request. */
interface CurvePoint {
  readonly planned: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** How late the client sent 99% of the requests at most: its own part of the latency. */
  readonly lateness99Ms: number
}

/** Latency of one contestant at rates that it can serve, and at the first that it cannot. */
export interface Curve {
  readonly contestant: Contestant
  readonly points: readonly CurvePoint[]
}

/** Parts of what the fastest contestant serves. */
const RATES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]

/** A contestant that serves less than this part of the planned rate is overloaded. */
const SERVED = 0.9

const CONNECTIONS = 128

/** Measures mixed requests at planned times: by our service, the bare server and the fastest peer. */
export async function measureCurves(
  running: readonly Running[],
  measurements: readonly Measurement[],
  { curveRounds, curveSliceMs }: Plan,
  log: (line: string) => void,
): Promise<Curve[]> {
  const fastest = measurements
    .filter(({ operation }) => operation === MIXED)
    .map(({ contestant, series }) => ({
      contestant,
      rate: figureOf(series, ({ requestsPerSecond }) => requestsPerSecond).middle || 0,
    }))
    .sort((one, other) => other.rate - one.rate)
  const peer = fastest.find(({ contestant }) => contestant.role === 'peer')?.contestant
  const capacity = fastest[0]?.rate ?? 0
  const curves = running
    .filter(({ contestant, isFocus }) => isFocus || contestant === peer)
    .map((one) => ({ one, contestant: one.contestant, points: [] as CurvePoint[], isOverloaded: false }))
  for (const part of RATES) {
    log(`latency at ${(part * capacity).toFixed(0)} requests/s`)
    for (const curve of curves.filter(({ isOverloaded }) => !isOverloaded)) {
      const point = await measurePoint(curve.one, part * capacity, curveRounds, curveSliceMs)
      curve.points.push(point)
      curve.isOverloaded = point.requestsPerSecond < point.planned * SERVED
    }
  }
  return curves.map(({ contestant, points }) => ({ contestant, points }))
}

async function measurePoint({ instances }: Running, requestsPerSecond: number, rounds: number, durationMs: number) {
  const latenciesMs: number[] = []
  const latenessMs: number[] = []
  let seconds = 0
  for (let round = 0; round < rounds; round += 1) {
    const instance = instances[round % instances.length]
    if (instance === undefined) throw new Error('There is no instance.')
    const load = { port: instance.server.port, connections: CONNECTIONS, requestsPerSecond, durationMs }
    const loop = await sendAtPlannedTimes({ ...load, requests: instance.requests.get(MIXED) ?? [] })
    instance.added += loop.added
    latenciesMs.push(...loop.latenciesMs)
    latenessMs.push(...loop.latenessMs)
    seconds += loop.latenciesMs.length / loop.requestsPerSecond
  }
  return {
    planned: requestsPerSecond,
    requestsPerSecond: latenciesMs.length / seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    lateness99Ms: quantile(latenessMs, 0.99),
  }
}
