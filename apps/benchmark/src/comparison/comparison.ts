import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rotate } from '../measuring/rotation.ts'
import { MIXED, type Operation } from '../requests/operations.ts'
import type { Contestant, Database } from '../servers/contestants.ts'
import { type Databases, openDatabases } from '../servers/databases.ts'
import { startServer, startTraceCollector } from '../servers/server-process.ts'
import { type Curve, measureCurves } from './latency.ts'
import type { Plan } from './plan.ts'
import { expectStored, type Instance, instanceOf, type Measurement, type Running, slice } from './running.ts'
import { expectSameHeaders } from './same-responses.ts'

/** What is measured on one database. The first contestant is the one that the others are compared with. */
export interface Selection {
  readonly database: Database
  readonly operations: readonly Operation[]
  readonly contestants: readonly Contestant[]
}

/** Starts of one contestant, and its memory. */
interface Footprint {
  readonly contestant: Contestant
  readonly firstResponseMs: readonly number[]
  /** Resident memory when idle after a start. */
  readonly restMiB: readonly number[]
  readonly peakMiB: number
}

/** One run on one database. */
export interface Comparison {
  readonly database: Database
  /** Which server, for PostgreSQL. */
  readonly server?: string
  readonly measurements: readonly Measurement[]
  readonly footprints: readonly Footprint[]
  /** What one fsync on the disk of the databases took in each round. */
  readonly fsyncMs: readonly number[]
  readonly curves: readonly Curve[]
}

export interface Conditions {
  readonly plan: Plan
  readonly log: (line: string) => void
}

/** How many contestants, from the first on, are measured in each round. */
export const FOCUS = 2

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
        entered.instances.push(await instanceOf(contestant, server, countPets, operations, plan.size))
      }
    }
    await expectCeilingsLikeService(running)
    const result = await measure(running, operations, databases, { plan, log })
    await expectStored(running, plan.size)
    const { description } = databases
    return { database, ...(description !== undefined && { server: description }), ...result }
  } finally {
    for (const { server } of running.flatMap(({ instances }) => instances)) await server.stop()
    collector.stop()
    await databases.close()
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

async function measure(
  running: readonly Running[],
  operations: readonly Operation[],
  { cpu: databaseCpu }: Databases,
  { plan, log }: Conditions,
) {
  const { connections, sliceMs, warmUpMs, warmUpRequests, rounds, everyRounds } = plan
  for (const { contestant, instances } of running) {
    log(`${contestant.name}: warming up`)
    for (const operation of operations.filter((some) => takesPart(contestant, some))) {
      const { warmUp } = operation
      const limits = { durationMs: warmUpMs * warmUp, maxRequests: warmUpRequests * warmUp }
      for (const instance of instances) await slice(instance, operation, { connections, ...limits })
    }
  }
  const heats = operations.map((operation) =>
    running.filter(({ contestant }) => takesPart(contestant, operation)).map((one) => entrant(one, operation)),
  )
  const fsyncMs: number[] = []
  const results = await rotate(heats, rounds, (round) => {
    if (round % 10 > 0) return
    log(`round ${round + 1} of ${rounds}`)
    fsyncMs.push(fsyncTime())
  })
  const measurements = [...results].map(([{ one, operation }, series]): Measurement => {
    return { contestant: one.contestant, operation, series }
  })
  const hasCurves = plan.curveRounds > 0 && operations.includes(MIXED)
  const curves = hasCurves ? await measureCurves(running, measurements, plan, log) : []
  const footprints = running.map(({ contestant, instances }) => ({
    contestant,
    firstResponseMs: instances.map(({ server }) => server.firstResponseMs),
    restMiB: instances.map(({ restMiB }) => restMiB),
    peakMiB: Math.max(...instances.map(({ server }) => server.memoryMiB('VmHWM'))),
  }))
  return { measurements, footprints, fsyncMs, curves }

  function entrant(one: Running, operation: Operation) {
    let turn = 0
    const take = () => {
      turn = (turn + 1) % one.instances.length
      const options = { connections, durationMs: sliceMs, databaseCpu }
      return slice(one.instances[turn] as Instance, operation, options)
    }
    return { one, operation, everyRounds: one.isFocus ? 1 : everyRounds, take }
  }
}

/** Names beyond ASCII are measured only on our service and the bare servers. */
function takesPart({ role }: Contestant, { isForAll }: Operation): boolean {
  return isForAll || role !== 'peer'
}

/** How many milliseconds an appended page takes to reach the disk on which the databases are. */
function fsyncTime(): number {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-fsync-'))
  const file = openSync(join(folder, 'file'), 'w')
  writeSync(file, Buffer.alloc(4_096, 1))
  const start = performance.now()
  fsyncSync(file)
  const time = performance.now() - start
  closeSync(file)
  rmSync(folder, { recursive: true })
  return time
}
