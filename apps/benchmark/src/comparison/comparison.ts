import { rotate, type Series } from '../measuring/rotation.ts'
import type { Slice } from '../measuring/slice.ts'
import { MIXED, type Operation } from '../requests/operations.ts'
import type { Contestant, Database } from '../servers/contestants.ts'
import { type Databases, openDatabases } from '../servers/databases.ts'
import { startTraceCollector } from '../servers/server-process.ts'
import { type Latency, measureLatency } from './latency.ts'
import type { Plan } from './plan.ts'
import { assertStored, type Instance, inTurn, type Running, startInstance, takeSliceOf } from './running.ts'
import { assertSameHeaders } from './same-responses.ts'

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
  readonly series: Series<Slice>
}

/** Start and memory of one contestant. */
interface Footprint {
  readonly contestant: Contestant
  readonly firstResponseMs: number
  readonly restMiB: number
  readonly peakMiB: number
}

export interface Comparison extends Selection {
  /** Which server, for PostgreSQL. */
  readonly server: string | undefined
  readonly measurements: readonly Measurement[]
  readonly footprints: readonly Footprint[]
  readonly latency: readonly Latency[]
}

/** Compares contestants on one database, each on a copy of its own. */
export async function compare(selection: Selection, plan: Plan, log: (line: string) => void): Promise<Comparison> {
  const { database, operations, contestants } = selection
  const filled = new Map<number, Databases>()
  const running: Running[] = []
  const collector = await startTraceCollector()
  try {
    for (const [index, contestant] of contestants.entries()) {
      log(`${contestant.name}: starting and comparing its responses`)
      const size = contestant.size ?? plan.size
      const databases = filled.get(size) ?? (await openDatabases(database, size))
      filled.set(size, databases)
      const instances: Instance[] = []
      running.push({ contestant, instances })
      const settings = contestant.isTraced ? collector.settings : {}
      // The baseline and the first that is compared with it, mostly our service, are measured most.
      while (instances.length < (index < 2 ? plan.instances : 1)) {
        instances.push(await startInstance(contestant, databases, operations, settings))
      }
    }
    await assertSameHeaders(running)
    for (const one of running) {
      log(`${one.contestant.name}: warming up`)
      await warmUp(one, operations, plan)
    }
    const [databases] = filled.values()
    const measurements = await measure(running, operations, databases?.cpu, plan, log)
    const hasLatency = plan.latency.rounds > 0 && operations.includes(MIXED)
    const latency = hasLatency ? await measureLatency(running, measurements, plan.latency, log) : []
    await assertStored(running)
    const footprints = running.map(footprintOf)
    return { ...selection, server: databases?.description, measurements, latency, footprints }
  } finally {
    for (const { servers } of running.flatMap(({ instances }) => instances))
      for (const { stop } of servers) await stop()
    collector.stop()
    for (const { close } of filled.values()) await close()
  }
}

async function warmUp({ instances }: Running, operations: readonly Operation[], plan: Plan): Promise<void> {
  for (const operation of operations) {
    const durationMs = plan.warmUp.durationMs * operation.warmUp
    const maxRequests = plan.warmUp.maxRequests * operation.warmUp
    for (const instance of instances) await takeSliceOf(instance, operation, { ...plan, durationMs, maxRequests })
  }
}

function measure(
  running: readonly Running[],
  operations: readonly Operation[],
  databaseCpu: Databases['cpu'],
  { connections, rounds, everyRounds, sliceMs }: Plan,
  log: (line: string) => void,
): Promise<Measurement[]> {
  const load = { connections, durationMs: sliceMs, databaseCpu }
  const heats = operations.map((operation) =>
    running.map(({ contestant, instances }, index) => ({
      info: { contestant, operation },
      everyRounds: index < 2 ? 1 : everyRounds,
      take: inTurn(instances, (instance) => takeSliceOf(instance, operation, load)),
    })),
  )
  return rotate(heats, rounds, (round) => {
    if (round % 10 === 0) log(`round ${round + 1} of ${rounds}`)
  })
}

function footprintOf({ contestant, instances }: Running): Footprint {
  const servers = instances.flatMap((instance) => instance.servers)
  return {
    contestant,
    firstResponseMs: Math.min(...servers.map(({ firstResponseMs }) => firstResponseMs)),
    restMiB: Math.max(...instances.map(({ restMiB }) => restMiB)),
    peakMiB: Math.max(...servers.map(({ memoryMiB }) => memoryMiB('VmHWM'))),
  }
}
