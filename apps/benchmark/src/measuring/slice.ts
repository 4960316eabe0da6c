import { LoadConnection, quantile } from '@pet-store/testing'
import { type CheckedRequest, hasAdded, send } from '../requests/request.ts'
import { type CpuClock, createCpuClock } from './cpu-time.ts'

export interface SliceOptions {
  /** One server, or several on one port. */
  readonly servers: readonly { readonly pid: number; readonly port: number }[]
  readonly connections: number
  /** Taken in turn by whichever connection is free. */
  readonly requests: readonly CheckedRequest[]
  readonly durationMs: number
  /** The CPU time of the database server, if it can be measured. */
  readonly databaseCpu?: CpuClock | undefined
}

/** What a short load measured. */
export interface Slice {
  readonly requestsPerSecond: number
  readonly requestsPerCpuSecond: number
  /** CPU time of the servers for one request. */
  readonly cpuMicroseconds: number
  /** CPU time of the database server for one request; `NaN` if it is unknown. */
  readonly databaseMicroseconds: number
  readonly p50Ms: number
  /** How many pets were added, also outside the measured time. */
  readonly added: number
}

/** Keeps each connection busy with one request at a time. Rejects on the first wrong response. */
export async function takeSlice(options: SliceOptions): Promise<Slice> {
  const { servers, requests, durationMs, databaseCpu = () => Number.NaN } = options
  const port = servers[0]?.port ?? 0
  const connections = Array.from({ length: options.connections }, () => new LoadConnection(port))
  const serverCpu = createCpuClock(() => servers.map(({ pid }) => pid))
  const latencies: number[] = []
  let turn = 0
  let added = 0
  async function sendNext(connection: LoadConnection): Promise<void> {
    turn = (turn + 1) % requests.length
    const request = requests[turn] as CheckedRequest
    if (hasAdded(await send(connection, request))) added += 1
  }

  try {
    // The first request on each connection is not measured.
    await Promise.all(connections.map(sendNext))
    const before = { server: await serverCpu(), database: await databaseCpu() }
    const start = performance.now()
    let end = start
    async function sendInTurn(connection: LoadConnection): Promise<void> {
      while (end - start < durationMs) {
        const sentAt = performance.now()
        await sendNext(connection)
        end = performance.now()
        latencies.push(end - sentAt)
      }
    }
    await Promise.all(connections.map(sendInTurn))
    const microsecondsOf = (nanoseconds: number) => nanoseconds / latencies.length / 1000
    const cpuMicroseconds = microsecondsOf((await serverCpu()) - before.server)
    return {
      requestsPerSecond: (latencies.length * 1000) / (end - start),
      requestsPerCpuSecond: 1e6 / cpuMicroseconds,
      cpuMicroseconds,
      databaseMicroseconds: microsecondsOf((await databaseCpu()) - before.database),
      p50Ms: quantile(latencies, 0.5),
      added,
    }
  } finally {
    for (const connection of connections) connection.close()
  }
}
