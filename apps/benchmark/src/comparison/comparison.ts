import { rotate } from '../measuring/rotation.ts'
import { MIXED, type Operation } from '../requests/operations.ts'
import type { Contestant } from '../servers/contestants.ts'
import { type Databases, openDatabases } from '../servers/databases.ts'
import { type Latency, measureLatency } from './latency.ts'
import type { Plan, Selection } from './plan.ts'
import { type Measurement, type Running, start, takeSliceOf } from './running.ts'
import { headersOf } from './same-responses.ts'

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

type Log = (line: string) => void

/** Compares contestants on one database, each on a copy of its own. */
export async function compare(selection: Selection, plan: Plan, log: Log): Promise<Comparison> {
  const { database, operations, contestants } = selection
  const filled = new Map<number, Databases>()
  const all: Running[] = []
  try {
    for (const contestant of contestants) {
      log(`${contestant.name}: starting, comparing its responses and warming up`)
      const size = contestant.size ?? plan.size
      const databases = filled.get(size) ?? (await openDatabases(database, size))
      filled.set(size, databases)
      const running = await start(contestant, databases, operations)
      all.push(running)
      await warmUp(running, plan)
    }
    await assertSameHeaders(all)
    const [databases] = filled.values()
    const measurements = await measure(all, operations, databases?.cpu, plan, log)
    const latency = operations.includes(MIXED) ? await measureLatency(all, measurements, plan.latency, log) : []
    await assertStored(all)
    return { ...selection, server: databases?.description, measurements, latency, footprints: all.map(footprintOf) }
  } finally {
    for (const { stop } of all.flatMap(({ servers }) => servers)) await stop()
    for (const { close } of filled.values()) await close()
  }
}

/** Rejects unless each ceiling sends the same headers as our service, so that both write the same number of bytes. */
async function assertSameHeaders(all: readonly Running[]): Promise<void> {
  if (!all.some(({ contestant }) => contestant.role === 'ceiling')) return
  const alike = all.filter(({ contestant }) => contestant.role !== 'peer')
  const headers = await Promise.all(alike.map(({ servers: [{ port }] }) => headersOf(port)))
  const [first] = headers
  if (headers.some((one) => one !== first)) throw new Error(`Headers differ:\n${headers.join('\n\n')}`)
}

async function warmUp(running: Running, { connections, warmUpMs }: Plan): Promise<void> {
  for (const operation of running.requests.keys()) {
    await takeSliceOf(running, operation, { connections, durationMs: warmUpMs })
  }
}

function measure(
  all: readonly Running[],
  operations: readonly Operation[],
  databaseCpu: Databases['cpu'],
  { connections, rounds, sliceMs }: Plan,
  log: Log,
): Promise<Measurement[]> {
  const heats = operations.map((operation) =>
    all.map((running) => ({
      info: { contestant: running.contestant, operation },
      take: () => takeSliceOf(running, operation, { connections, durationMs: sliceMs, databaseCpu }),
    })),
  )
  return rotate(heats, rounds, (round) => {
    if (round % 10 === 0) log(`round ${round + 1} of ${rounds}`)
  })
}

/** A contestant that says it added more than it stored has not done the work. */
async function assertStored(all: readonly Running[]): Promise<void> {
  for (const { contestant, added, countAdded } of all) {
    const stored = await countAdded()
    if (stored === added) continue
    throw new Error(`${contestant.name} responded ${added} times that it added a pet, and stored ${stored}.`)
  }
}

function footprintOf({ contestant, servers, restMiB }: Running): Footprint {
  const peakMiB = Math.max(...servers.map(({ memoryMiB }) => memoryMiB('VmHWM')))
  return { contestant, firstResponseMs: servers[0].firstResponseMs, restMiB, peakMiB }
}
