import { readFileSync } from 'node:fs'
import { SERVICE } from './contestant.ts'
import { wireRequest } from './conversation.ts'
import { busyPart, coreTimes } from './core-use.ts'
import { load } from './load.ts'
import { OPERATIONS, type Operation } from './operations.ts'
import { type Placement, pinningOf } from './placement.ts'
import type { LineUp, ProcessesPlan } from './processes-plan.ts'
import { type RunningServer, startServer } from './server-process.ts'
import { quantile } from './statistics.ts'

/** One round of one operation, by all processes of a line-up together. */
export interface LineUpRound {
  readonly requestsPerSecond: number
  /** CPU time of the processes for a request. */
  readonly cpuMicroseconds: number
  readonly p99Ms: number
  /** Which part of the time the cores worked; of those for client and database `NaN` where there are none. */
  readonly serviceCoresBusy: number
  readonly otherCoresBusy: number
}

export interface LineUpMeasurement {
  readonly placement: Placement
  readonly lineUp: LineUp
  readonly operation: Operation
  readonly rounds: LineUpRound[]
}

const OPERATION_IDS = ['list', 'get', 'create']

/** Measures line-ups of processes on one database, in rounds in each of which all have a turn at everything. */
export async function measureLineUps(
  databaseUrl: string,
  placement: Placement,
  lineUps: readonly LineUp[],
  { plan, say }: { readonly plan: ProcessesPlan; readonly say: (line: string) => void },
): Promise<{ measurements: LineUpMeasurement[]; added: number }> {
  // Those that are not in a line-up have nothing to do, and stay.
  const fleet = new Map<number, RunningServer[]>()
  const operations = OPERATIONS.filter(({ id }) => OPERATION_IDS.includes(id))
  const requests = new Map(operations.map((operation) => [operation, requestsOf(operation, plan.size)]))
  let added = 0
  try {
    for (const { poolSize, processes } of lineUps) {
      const servers = fleet.get(poolSize) ?? []
      fleet.set(poolSize, servers)
      while (servers.length < processes) {
        say(`starting and warming up a process with a pool of ${poolSize}`)
        const settings = { DATABASE_POOL_SIZE: String(poolSize) }
        const program = [...SERVICE, 'serve']
        const server = await startServer({ program, databaseUrl, pinning: pinningOf(placement), settings })
        servers.push(server)
        for (const operation of operations) {
          const asked = { requests: requests.get(operation) ?? [], connections: plan.connections, probe: () => 0 }
          added += (await load({ ports: [server.port], ...asked, ...plan.warmUp })).added
        }
      }
    }
    const measurements = operations.flatMap((operation) =>
      lineUps.map((lineUp) => ({ placement, lineUp, operation, rounds: [] as LineUpRound[] })),
    )
    for (let round = 1; round <= plan.rounds; round += 1) {
      say(`round ${round} of ${plan.rounds}`)
      // Nobody is always the first one after a change of the operation.
      for (const { lineUp, operation, rounds } of round % 2 === 0 ? measurements.toReversed() : measurements) {
        const servers = fleet.get(lineUp.poolSize)?.slice(0, lineUp.processes) ?? []
        const turn = await takeTurn(servers, requests.get(operation) ?? [], placement, plan)
        rounds.push(turn.round)
        added += turn.added
      }
    }
    return { measurements, added }
  } finally {
    for (const server of [...fleet.values()].flat()) await server.stop()
  }
}

function requestsOf(operation: Operation, size: number) {
  return operation.questions({ paging: 'cursor', size, cursors: new Map() }).map(wireRequest)
}

async function takeTurn(
  servers: readonly RunningServer[],
  requests: ReturnType<typeof requestsOf>,
  { serviceCores, otherCores }: Placement,
  { connections, leadInMs, sliceMs }: ProcessesPlan,
): Promise<{ round: LineUpRound; added: number }> {
  const { added, ...result } = await load({
    ports: servers.map(({ port }) => port),
    connections,
    requests,
    leadInMs,
    milliseconds: sliceMs,
    probe: () => ({
      cpuSeconds: servers.reduce((sum, server) => sum + server.cpuSeconds(), 0),
      cores: coreTimes(readFileSync('/proc/stat', 'utf8')),
    }),
  })
  const { before, after } = result
  const round = {
    requestsPerSecond: result.requests / result.seconds,
    cpuMicroseconds: ((after.cpuSeconds - before.cpuSeconds) / result.requests) * 1e6,
    p99Ms: quantile(result.latencies, 0.99),
    serviceCoresBusy: busyPart(before.cores, after.cores, serviceCores),
    otherCoresBusy: busyPart(before.cores, after.cores, otherCores),
  }
  return { round, added }
}
