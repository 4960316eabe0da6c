import { LoadConnection, quantile } from '@pet-store/testing'
import { type CheckedRequest, send } from '../requests/request.ts'
import { cpuTime } from './cpu-time.ts'
import type { Figure } from './rotation.ts'
import { sum } from './statistics.ts'

/** A server that can be measured. */
export interface MeasuredServer {
  readonly pid: number
  readonly port: number
}

export interface SliceOptions {
  /** One server, or several that share the connections evenly. */
  readonly servers: readonly MeasuredServer[]
  readonly connections: number
  /** Taken in turn by whichever connection is free. */
  readonly requests: readonly CheckedRequest[]
  readonly durationMs: number
  /** The CPU time of the database server so far, in nanoseconds, where it is known. */
  readonly databaseCpu?: (() => number) | undefined
}

/** What a short load measured. */
export interface Slice {
  readonly requestsPerSecond: number
  /** CPU time of the servers for one request. */
  readonly cpuMicroseconds: number
  /** CPU time of the database server for one request; `NaN` where it is unknown. */
  readonly databaseMicroseconds: number
  readonly p50Ms: number
  /** How many pets were added, also outside the measured time. */
  readonly added: number
}

export const THROUGHPUT: Figure<Slice> = ({ requestsPerSecond }) => requestsPerSecond
export const CPU: Figure<Slice> = ({ cpuMicroseconds }) => cpuMicroseconds
export const PER_CPU: Figure<Slice> = ({ cpuMicroseconds }) => 1 / cpuMicroseconds
export const DATABASE_CPU: Figure<Slice> = ({ databaseMicroseconds }) => databaseMicroseconds

/**
 * Keeps each connection busy with one request at a time. CPU time is read before and after, while the servers have
 * nothing to do: the kernel counts that of a running process with a delay. Rejects on the first wrong response.
 */
export async function takeSlice(options: SliceOptions): Promise<Slice> {
  const { servers, requests, durationMs } = options
  const portOf = (index: number) => servers[index % servers.length]?.port ?? 0
  const connections = Array.from({ length: options.connections }, (_, index) => new LoadConnection(portOf(index)))
  const latencies: number[] = []
  let [turn, sent, added] = [0, 0, 0]
  async function sendNext(connection: LoadConnection): Promise<void> {
    turn = (turn + 1) % requests.length
    const request = requests[turn] as CheckedRequest
    await send(connection, request)
    if (request.status === 201) added += 1
  }

  try {
    // The first request on each connection is not measured.
    await Promise.all(connections.map(sendNext))
    const before = readTimes(options)
    const start = performance.now()
    let end = start
    async function sendInTurn(connection: LoadConnection): Promise<void> {
      while (end - start < durationMs) {
        sent += 1
        const sentAt = performance.now()
        await sendNext(connection)
        end = performance.now()
        latencies.push(end - sentAt)
      }
    }
    await Promise.all(connections.map(sendInTurn))
    const after = readTimes(options)
    return {
      requestsPerSecond: (sent * 1000) / (end - start),
      cpuMicroseconds: (after.server - before.server) / sent / 1000,
      databaseMicroseconds: (after.database - before.database) / sent / 1000,
      p50Ms: quantile(latencies, 0.5),
      added,
    }
  } finally {
    for (const connection of connections) connection.close()
  }
}

/** Times in nanoseconds. */
function readTimes({ servers, databaseCpu }: SliceOptions) {
  return { server: sum(servers.map(({ pid }) => cpuTime(pid))), database: databaseCpu?.() ?? Number.NaN }
}
