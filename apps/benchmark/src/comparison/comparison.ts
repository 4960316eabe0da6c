import { setTimeout as wait } from 'node:timers/promises'
import { fsyncTimes } from '../measuring/fsync.ts'
import { rotate, type Series } from '../measuring/rotation.ts'
import { type Slice, type SliceOptions, takeSlice } from '../measuring/slice.ts'
import { wireRequest } from '../requests/connection.ts'
import { type Operation, targetByCursor, targetById } from '../requests/operations.ts'
import type { Contestant, Database } from '../servers/contestants.ts'
import { type Databases, openDatabases } from '../servers/databases.ts'
import { type RunningServer, startServer, startTraceCollector } from '../servers/server-process.ts'
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

/** How many contestants, from the first on, are measured in each round. */
const FOCUS = 2

/** Compares contestants on one database, each on a copy of its own. */
export async function compare(selection: Selection, { plan, log }: Conditions): Promise<Comparison> {
  const { database, operations } = selection
  const databases = await openDatabases(database, plan.size)
  const collector = await startTraceCollector()
  const running: Running[] = []
  try {
    for (const [index, contestant] of selection.contestants.entries()) {
      log(`${contestant.name}: starting and comparing its responses`)
      const settings = contestant.isTraced ? collector.settings : {}
      const entered: Running = { contestant, isFocus: index < FOCUS, instances: [] }
      running.push(entered)
      for (let count = 1; count <= (entered.isFocus ? plan.instances : 1); count += 1) {
        const { url, countPets } = await databases.create(`${contestant.id}-${count}`)
        const server = await startServer({ program: contestant.program, databaseUrl: url, settings })
        entered.instances.push(await instanceOf(contestant, { server, countPets }, operations, plan.size))
      }
    }
    await expectCeilingsLikeService(running)
    const result = await measure(running, operations, { plan, log })
    await expectStored(running, plan.size)
    if (database === 'sqlite') return { database, ...result }
    log('pgbench')
    return { database, ...describe(databases), ...result, ...(await pgbench(databases, operations, plan)) }
  } finally {
    for (const { server } of running.flatMap(({ instances }) => instances)) await server.stop()
    collector.stop()
    await databases.close()
  }
}

/** A process of a contestant whose responses are those of all others, on a database of its own. */
interface Instance {
  readonly server: RunningServer
  readonly restMiB: number
  readonly countPets: () => Promise<number>
  readonly slice: (operation: Operation, options: Omit<SliceOptions, 'servers' | 'requests'>) => Promise<Slice>
  /** Pets that it said it added. */
  readonly added: () => number
}

interface Running {
  readonly contestant: Contestant
  /** The baseline and our service: they take part in each round, with several processes in turn. */
  readonly isFocus: boolean
  readonly instances: Instance[]
}

async function instanceOf(
  contestant: Contestant,
  started: Pick<Instance, 'server' | 'countPets'>,
  operations: readonly Operation[],
  size: number,
): Promise<Instance> {
  const { server } = started
  try {
    await wait(REST_MS)
    const restMiB = server.memoryMiB('VmRSS')
    const target = contestant.role === 'service' ? await targetByCursor(server.port, size) : targetById(size)
    let added = await expectSameResponses(contestant, server.port, operations, target)
    const requests = new Map(operations.map((operation) => [operation, operation.requests(target).map(wireRequest)]))
    return {
      ...started,
      restMiB,
      added: () => added,
      async slice(operation, options) {
        const slice = await takeSlice({ ...options, servers: [server], requests: requests.get(operation) ?? [] })
        added += slice.added
        return slice
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function expectCeilingsLikeService(running: readonly Running[]): Promise<void> {
  const portOf = ({ instances }: Running) => instances[0]?.server.port ?? 0
  const service = running.find(({ contestant }) => contestant.role === 'service')
  if (service === undefined) return
  for (const ceiling of running.filter(({ contestant }) => contestant.role === 'ceiling')) {
    await expectSameHeaders(ceiling.contestant, portOf(ceiling), portOf(service))
  }
}

async function measure(running: readonly Running[], operations: readonly Operation[], { plan, log }: Conditions) {
  const { connections, leadInMs, sliceMs, warmUpMs, warmUpRequests, rounds, everyRounds } = plan
  const warmUps = new Map<object, number>()
  const heats = operations.map((operation) =>
    running
      .filter(({ contestant }) => operation.isForAll || contestant.role !== 'peer')
      .map((one) => entrant(one, operation)),
  )
  for (const one of running) {
    log(`${one.contestant.name}: warming up`)
    for (const warmed of heats.flat().filter((some) => some.one === one)) {
      const { warmUp } = warmed.operation
      const limits = { durationMs: warmUpMs * warmUp, maxRequests: warmUpRequests * warmUp }
      for (const { slice } of one.instances) {
        warmUps.set(warmed, (await slice(warmed.operation, { connections, ...limits })).requests)
      }
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
  const footprints = running.map(({ contestant, instances }) => ({
    contestant,
    firstResponseMs: instances.map(({ server }) => server.firstResponseMs),
    restMiB: instances.map(({ restMiB }) => restMiB),
    peakMiB: Math.max(...instances.map(({ server }) => server.memoryMiB('VmHWM'))),
  }))
  return { measurements, footprints, fsyncMs }

  function entrant(one: Running, operation: Operation) {
    let turn = 0
    const take = () => {
      turn = (turn + 1) % one.instances.length
      return (one.instances[turn] as Instance).slice(operation, { connections, leadInMs, durationMs: sliceMs })
    }
    return { one, operation, everyRounds: one.isFocus ? 1 : everyRounds, take }
  }
}

/** A contestant that says it added more than it stored has not done the work. */
async function expectStored(running: readonly Running[], size: number): Promise<void> {
  for (const { contestant, instances } of running) {
    for (const { countPets, added } of instances) {
      const stored = (await countPets()) - size
      if (stored === added()) continue
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
