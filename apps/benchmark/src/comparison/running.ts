import { setTimeout as wait } from 'node:timers/promises'
import type { Series } from '../measuring/rotation.ts'
import { type Slice, type SliceOptions, takeSlice } from '../measuring/slice.ts'
import type { Operation } from '../requests/operations.ts'
import type { CheckedRequest } from '../requests/request.ts'
import type { Contestant } from '../servers/contestants.ts'
import type { Databases } from '../servers/databases.ts'
import { type RunningServer, startServer } from '../servers/server-process.ts'
import { assertSameResponses } from './same-responses.ts'

/** A contestant whose responses are right, on a database of its own. */
export interface Running {
  readonly contestant: Contestant
  /** Mostly one process; several share the database and the load. */
  readonly servers: readonly [RunningServer, ...RunningServer[]]
  /** Resident memory of a process when idle after the start. */
  readonly restMiB: number
  readonly requests: ReadonlyMap<Operation, readonly CheckedRequest[]>
  /** How many pets are stored beyond those of the beginning. */
  readonly countAdded: () => Promise<number>
  /** Pets that it said it added. */
  added: number
}

/** One operation by one contestant. */
export interface Measurement {
  readonly contestant: Contestant
  readonly operation: Operation
  readonly series: Series<Slice>
}

const REST_MS = 300

/** Starts a contestant. Rejects, and stops it, unless its responses are right. */
export async function start(
  contestant: Contestant,
  databases: Databases,
  operations: readonly Operation[],
  size: number,
): Promise<Running> {
  const { url, countPets } = await databases.create(size)
  const count = contestant.processes ?? 1
  const servers: [RunningServer, ...RunningServer[]] = [await startServer(contestant, url)]
  try {
    while (servers.length < count) servers.push(await startServer(contestant, url))
    await wait(REST_MS)
    const [{ port, memoryMiB }] = servers
    const restMiB = memoryMiB('VmRSS')
    const target = { size, takesCursors: contestant.role === 'service' }
    const requests = new Map(operations.map((operation) => [operation, operation.requests(target)]))
    const added = await assertSameResponses(contestant, port, [...requests.values()].flat(), size)
    const countAdded = async () => (await countPets()) - size
    return { contestant, servers, restMiB, requests, countAdded, added }
  } catch (error) {
    for (const { stop } of servers) await stop()
    throw error
  }
}

export async function takeSliceOf(
  running: Running,
  operation: Operation,
  options: Omit<SliceOptions, 'servers' | 'requests'>,
): Promise<Slice> {
  const { servers, requests } = running
  const slice = await takeSlice({ ...options, servers, requests: requests.get(operation) ?? [] })
  running.added += slice.added
  return slice
}
