import type { Contestant } from './contestant.ts'
import type { WireRequest } from './conversation.ts'
import { load } from './load.ts'
import type { Operation } from './operations.ts'
import type { Plan } from './plan.ts'
import type { RunningServer } from './server-process.ts'
import { quantile } from './statistics.ts'

/** A contestant that runs, and what it is asked. */
export interface Entrant {
  readonly contestant: Contestant
  readonly server: RunningServer
  readonly requests: ReadonlyMap<Operation, readonly WireRequest[]>
  /** Pets that it said it added. */
  added: number
}

/** One round of one operation. */
export interface Round {
  readonly requestsPerSecond: number
  readonly cpuMicroseconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** All rounds of one operation with one contestant. */
export interface Measurement {
  readonly contestant: Contestant
  readonly operation: Operation
  /** Requests before the first round. */
  readonly warmUp: number
  readonly rounds: Round[]
}

/** Warms everybody up, then measures in rounds, in each of which everybody has a turn at everything. */
export async function measure(
  entrants: readonly Entrant[],
  operations: readonly Operation[],
  plan: Plan,
  say: (line: string) => void,
): Promise<Measurement[]> {
  const measurements: { entrant: Entrant; requests: readonly WireRequest[]; measurement: Measurement }[] = []
  for (const entrant of entrants) {
    say(`warming up ${entrant.contestant.name}`)
    for (const operation of operations) {
      const requests = entrant.requests.get(operation) ?? []
      const { contestant } = entrant
      const warmUp = await warm(entrant, requests, operation.warmUp, plan)
      measurements.push({ entrant, requests, measurement: { contestant, operation, warmUp, rounds: [] } })
    }
  }
  for (let round = 1; round <= plan.rounds; round += 1) {
    say(`round ${round} of ${plan.rounds}`)
    for (const operation of operations) {
      const turns = measurements.filter(({ measurement }) => measurement.operation === operation)
      // Nobody is always the first one after a change of the operation.
      if (round % 2 === 0) turns.reverse()
      for (const { entrant, requests, measurement } of turns) {
        measurement.rounds.push(await takeTurn(entrant, requests, plan))
      }
    }
  }
  return measurements.map(({ measurement }) => measurement)
}

async function warm(entrant: Entrant, requests: readonly WireRequest[], share: number, plan: Plan): Promise<number> {
  const { answered, added } = await load({
    ports: [entrant.server.port],
    connections: plan.connections,
    requests,
    milliseconds: plan.warmUpMs * share,
    maxRequests: plan.warmUpRequests * share,
    probe: () => 0,
  })
  entrant.added += added
  return answered
}

async function takeTurn(entrant: Entrant, requests: readonly WireRequest[], plan: Plan): Promise<Round> {
  const { server } = entrant
  const result = await load({
    ports: [server.port],
    connections: plan.connections,
    requests,
    milliseconds: plan.sliceMs,
    leadInMs: plan.leadInMs,
    probe: () => server.cpuSeconds(),
  })
  entrant.added += result.added
  return {
    requestsPerSecond: result.requests / result.seconds,
    cpuMicroseconds: ((result.after - result.before) / result.requests) * 1e6,
    p50Ms: quantile(result.latencies, 0.5),
    p99Ms: quantile(result.latencies, 0.99),
  }
}
