import { rotate } from '../measuring/rotation.ts'
import { MIXED } from '../requests/operations.ts'
import type { Contestant } from '../servers/contestants.ts'
import { openDatabases } from '../servers/databases.ts'
import { type Latency, measureLatency } from './latency.ts'
import type { Selection } from './plan.ts'
import { type Measurement, type Running, start, takeSliceOf } from './running.ts'
import { headersOf } from './same-responses.ts'

/** Start and memory of one contestant. */
export interface Footprint {
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

/** Compares contestants on one kind of database, each on one of its own. */
export async function compare(selection: Selection, log: (line: string) => void): Promise<Comparison> {
  const { database, operations, contestants, plan } = selection
  const { rounds, connections, warmUpMs, sliceMs } = plan
  const databases = await openDatabases(database)
  const all: Running[] = []
  try {
    for (const contestant of contestants) {
      log(`${contestant.name}: starting, comparing its responses and warming up`)
      const running = await start(contestant, databases, operations, contestant.size ?? plan.size)
      all.push(running)
      for (const operation of operations) await takeSliceOf(running, operation, { connections, durationMs: warmUpMs })
    }
    await assertSameHeaders(all)
    const load = { connections, durationMs: sliceMs, databaseCpu: databases.cpu }
    const heats = operations.map((operation) =>
      all.map((running) => ({
        info: { contestant: running.contestant, operation },
        take: () => takeSliceOf(running, operation, load),
      })),
    )
    const measurements = await rotate(heats, rounds, log)
    const latency = operations.includes(MIXED) ? await measureLatency(all, measurements, plan.latency, log) : []
    await assertStored(all)
    return { ...selection, server: databases.description, measurements, latency, footprints: all.map(footprintOf) }
  } finally {
    for (const { stop } of all.flatMap(({ servers }) => servers)) await stop()
    await databases.close()
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
