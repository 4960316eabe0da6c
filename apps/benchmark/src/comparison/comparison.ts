import { setTimeout as wait } from 'node:timers/promises'
import { fsyncTimes } from '../measuring/fsync.ts'
import { rotate, type Series } from '../measuring/rotation.ts'
import { type Slice, type SliceOptions, takeSlice } from '../measuring/slice.ts'
import { wireRequest } from '../requests/connection.ts'
import { type Operation, targetByCursor, targetById } from '../requests/operations.ts'
import type { Contestant, Database } from '../servers/contestants.ts'
import { type Databases, openDatabases } from '../servers/databases.ts'
import { type RunningServer, type ServerOptions, startServer, startTraceCollector } from '../servers/server-process.ts'
import { type PgbenchRates, runPgbench } from './pgbench.ts'
import type { Plan } from './plan.ts'
import { expectSameHeaders, expectSameResponses } from './same-responses.ts'

/** What is measured on one database. The first contestant is the one that the others are compared with. */
export interface Selection {
  readonly database: Database
  readonly operations: readonly Operation[]
  readonly contestants: readonly Contestant[]
}

/** One operation by one contestant. */
export interface Measurement {
  readonly contestant: Contestant
  readonly operation: Operation
  /** Requests before the first slice. */
  readonly warmUp: number
  readonly series: Series
}

/** Starts of one contestant, and its memory. */
interface Footprint {
  readonly contestant: Contestant
  readonly firstResponseMs: readonly number[]
  /** Resident memory when idle after a start. */
  readonly restMiB: readonly number[]
  readonly peakMiB: number
}

/** Everything that was measured on one database. */
export interface Comparison {
  readonly database: Database
  /** Which server, for PostgreSQL. */
  readonly server?: string
  readonly measurements: readonly Measurement[]
  readonly footprints: readonly Footprint[]
  /** What one fsync on the disk of the databases took in each round. */
  readonly fsyncMs: readonly number[]
  readonly pgbench?: PgbenchRates
}

export interface Conditions {
  readonly plan: Plan
  readonly log: (line: string) => void
}

const REST_MS = 300

/** Compares contestants on one database, each on a copy of its own. */
export async function compare(selection: Selection, { plan, log }: Conditions): Promise<Comparison> {
  const { database, operations } = selection
  const databases = await openDatabases(database, plan.size)
  const collector = await startTraceCollector()
  const running: Running[] = []
  try {
    for (const contestant of selection.contestants) {
      const { url, countPets } = await databases.create(contestant.id)
      const settings = contestant.isTraced ? collector.settings : {}
      const options = { program: contestant.program, databaseUrl: url, settings }
      log(`${contestant.name}: starting and comparing its responses`)
      running.push(await start({ contestant, countPets, options }, operations, plan))
    }
    await expectCeilingsLikeService(running)
    const result = await measure(running, operations, { plan, log })
    await expectStored(running, plan.size)
    if (database === 'sqlite') return { database, ...result }
    log('pgbench')
    return { database, ...describe(databases), ...result, ...(await pgbench(databases, operations, plan)) }
  } finally {
    for (const { server } of running) await server.stop()
    collector.stop()
    await databases.close()
  }
}

interface Prepared {
  readonly contestant: Contestant
  readonly options: ServerOptions
  readonly countPets: () => Promise<number>
}

/** A contestant whose responses are those of all others. */
interface Running extends Prepared {
  readonly server: RunningServer
  readonly footprint: Omit<Footprint, 'peakMiB'>
  readonly slice: (operation: Operation, options: Omit<SliceOptions, 'servers' | 'requests'>) => Promise<Slice>
  /** Pets that it said it added. */
  readonly added: () => number
}

async function start(prepared: Prepared, operations: readonly Operation[], plan: Plan): Promise<Running> {
  const { contestant, options } = prepared
  const footprint = { contestant, firstResponseMs: [] as number[], restMiB: [] as number[] }
  for (let count = 1; ; count += 1) {
    const server = await startServer(options)
    try {
      footprint.firstResponseMs.push(server.firstResponseMs)
      await wait(REST_MS)
      footprint.restMiB.push(server.memoryMiB('VmRSS'))
      if (count < plan.coldStarts) {
        await server.stop()
        continue
      }
      const target =
        contestant.role === 'service' ? await targetByCursor(server.port, plan.size) : targetById(plan.size)
      let added = await expectSameResponses(contestant, server.port, operations, target)
      const requests = new Map(operations.map((operation) => [operation, operation.requests(target).map(wireRequest)]))
      return {
        ...prepared,
        server,
        footprint,
        added: () => added,
        async slice(operation, sliceOptions) {
          const slice = await takeSlice({ ...sliceOptions, servers: [server], requests: requests.get(operation) ?? [] })
          added += slice.added
          return slice
        },
      }
    } catch (error) {
      await server.stop()
      throw error
    }
  }
}

async function expectCeilingsLikeService(running: readonly Running[]): Promise<void> {
  const service = running.find(({ contestant }) => contestant.role === 'service')
  if (service === undefined) return
  for (const { contestant, server } of running) {
    if (contestant.role === 'ceiling') await expectSameHeaders(contestant, server.port, service.server.port)
  }
}

async function measure(running: readonly Running[], operations: readonly Operation[], { plan, log }: Conditions) {
  const { connections, leadInMs, sliceMs, warmUpMs, warmUpRequests, rounds, everyRounds } = plan
  const warmUps = new Map<object, number>()
  const heats = operations.map((operation) =>
    running
      .filter(({ contestant }) => operation.isForAll || contestant.role !== 'peer')
      .map((one, index) => entrant(one, operation, index < 2 ? 1 : everyRounds)),
  )
  for (const one of running) {
    log(`${one.contestant.name}: warming up`)
    for (const warmed of heats.flat().filter((some) => some.one === one)) {
      const { warmUp } = warmed.operation
      const limits = { durationMs: warmUpMs * warmUp, maxRequests: warmUpRequests * warmUp }
      warmUps.set(warmed, (await one.slice(warmed.operation, { connections, ...limits })).requests)
    }
  }
  const fsyncMs: number[] = []
  const results = await rotate(heats, rounds, (round) => {
    log(`round ${round + 1} of ${rounds}`)
    fsyncMs.push(...fsyncTimes())
  })
  const measurements = [...results].map(([some, series]) => ({
    contestant: some.one.contestant,
    operation: some.operation,
    warmUp: warmUps.get(some) ?? 0,
    series,
  }))
  const footprints = running.map(({ footprint, server }) => ({ ...footprint, peakMiB: server.memoryMiB('VmHWM') }))
  return { measurements, footprints, fsyncMs }

  function entrant(one: Running, operation: Operation, every: number) {
    const take = () => one.slice(operation, { connections, leadInMs, durationMs: sliceMs })
    return { one, operation, everyRounds: every, take }
  }
}

/** A contestant that says it added more than it stored has not done the work. */
async function expectStored(running: readonly Running[], size: number): Promise<void> {
  for (const { contestant, countPets, added } of running) {
    const stored = (await countPets()) - size
    if (stored !== added()) {
      throw new Error(`${contestant.name} responded ${added()} times that it added a pet, and stored ${stored}.`)
    }
  }
}

function describe({ description }: Databases): Pick<Comparison, 'server'> {
  return description === undefined ? {} : { server: description }
}

async function pgbench(databases: Databases, operations: readonly Operation[], plan: Plan) {
  const { url } = await databases.create('pgbench')
  const rates = await runPgbench(url, operations, plan)
  return rates === undefined ? {} : { pgbench: rates }
}
