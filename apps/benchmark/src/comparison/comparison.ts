import { rotate } from '../measuring/rotation.ts'
import { takeSlice } from '../measuring/slice.ts'
import type { Operation } from '../requests/operations.ts'
import type { Contestant } from '../servers/contestants.ts'
import { openDatabases } from '../servers/databases.ts'
import { type Latency, measureLatency } from './latency.ts'
import type { Selection } from './plan.ts'
import { type Measurement, type Running, start } from './running.ts'
import { assertSameHeaders, assertSameResponses } from './same-responses.ts'

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
  readonly latency: Latency | undefined
}

/** Compares contestants on one kind of database, each on one of its own. */
export async function compare(
  selection: Selection,
  log: (line: string) => void,
): Promise<Comparison> {
  const { database, operations, contestants, plan } = selection
  const { rounds, connections, warmUpMs, sliceMs } = plan
  const databases = await openDatabases(database)
  const all: Running[] = []
  async function take(
    { running, operation }: { running: Running; operation: Operation },
    durationMs = sliceMs,
  ) {
    const { servers, requests, databaseCpu } = running
    const load = {
      connections,
      requests: requests.get(operation) ?? [],
      durationMs,
      databaseCpu,
    }
    const slice = await takeSlice({ servers, ...load })
    running.added += slice.added
    return slice
  }

  try {
    for (const contestant of contestants) {
      log(`${database}, ${contestant.name}: starting, comparing its responses and warming up`)
      const running = await start(contestant, databases, operations, contestant.size ?? plan.size)
      all.push(running)
      await assertSameResponses(running)
      for (const operation of operations) await take({ running, operation }, warmUpMs)
    }
    await assertSameHeaders(all)
    const groups = operations.map((operation) =>
      all.map((running) => ({ running, contestant: running.contestant, operation })),
    )
    const measurements = await rotate(groups, take, rounds, log)
    const latency = await measureLatency(all, measurements, plan.latency, log)
    await assertStored(all)
    return {
      ...selection,
      server: databases.description,
      measurements,
      latency,
      footprints: all.map(footprintOf),
    }
  } finally {
    for (const { end } of all.flatMap(({ servers }) => servers)) await end()
    await databases.close()
  }
}

/** Rejects if a contestant has stored another number of pets than it said that it added. */
async function assertStored(all: readonly Running[]): Promise<void> {
  for (const { contestant, added, size, countPets } of all) {
    const stored = (await countPets()) - size
    if (stored === added) continue
    throw new Error(
      `${contestant.name} responded ${added} times that it added a pet, and stored ${stored}.`,
    )
  }
}

function footprintOf({ contestant, servers, restMiB }: Running): Footprint {
  const peakMiB = Math.max(...servers.map(({ memoryMiB }) => memoryMiB('VmHWM')))
  return { contestant, firstResponseMs: servers[0].firstResponseMs, restMiB, peakMiB }
}
