import { setTimeout as wait } from 'node:timers/promises'
import type { CpuClock } from '../measuring/cpu-time.ts'
import type { Series } from '../measuring/rotation.ts'
import type { Slice } from '../measuring/slice.ts'
import type { Operation } from '../requests/operations.ts'
import type { CheckedRequest } from '../requests/request.ts'
import type { Contestant } from '../servers/contestants.ts'
import type { Databases } from '../servers/databases.ts'
import { type RunningServer, startServer } from '../servers/server-process.ts'

/** A contestant on a database of its own. */
export interface Running {
  readonly contestant: Contestant
  /** Mostly one process; several share the database, the port and the load. */
  readonly servers: readonly [RunningServer, ...RunningServer[]]
  /** Resident memory of a process when idle after the start. */
  readonly restMiB: number
  readonly requests: ReadonlyMap<Operation, readonly CheckedRequest[]>
  /** How many pets there were to begin with. */
  readonly size: number
  readonly countPets: () => Promise<number>
  /** The CPU time of the server of its database, where it is known. */
  readonly databaseCpu: CpuClock | undefined
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

export async function start(
  contestant: Contestant,
  databases: Databases,
  operations: readonly Operation[],
  size: number,
): Promise<Running> {
  const { url, cpu, countPets } = await databases.create(size, contestant.databaseUrl)
  const first = await startServer(contestant, url)
  const servers: [RunningServer, ...RunningServer[]] = [first]
  while (servers.length < (contestant.processes ?? 1))
    servers.push(await startServer(contestant, url, first.port))
  await wait(REST_MS)
  const restMiB = servers[0].memoryMiB('VmRSS')
  const target = { size, takesCursors: contestant.role === 'service' }
  const requests = new Map(operations.map((operation) => [operation, operation.requests(target)]))
  return {
    contestant,
    servers,
    restMiB,
    requests,
    size,
    countPets,
    databaseCpu: cpu,
    added: 0,
  }
}
