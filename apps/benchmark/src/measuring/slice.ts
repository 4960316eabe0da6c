import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { openConnection, sendInTurn, type WireRequest } from '../requests/connection.ts'
import { coreTimes, cpuTime } from './cpu-time.ts'
import { countsInstructions, openEventCounter } from './event-counter.ts'
import { quantile, sum } from './statistics.ts'

/** A server that can be measured. */
export interface MeasuredServer {
  readonly pid: number
  readonly port: number
  /** Whether it has a core to itself. */
  readonly isAlone: boolean
}

export interface SliceOptions {
  /** One server, or several that share the connections evenly. */
  readonly servers: readonly MeasuredServer[]
  readonly connections: number
  /** Taken in turn by whichever connection is free. */
  readonly requests: readonly WireRequest[]
  readonly durationMs: number
  /** Ends the slice earlier. Default: no limit. */
  readonly maxRequests?: number
  /** The CPU time of the database server so far, in nanoseconds, where it is known. */
  readonly databaseCpu?: (() => number) | undefined
}

/** What a short load measured. */
export interface Slice {
  readonly requests: number
  readonly requestsPerSecond: number
  /** CPU time of the servers for one request. */
  readonly cpuMicroseconds: number
  /** CPU time of the database server for one request. */
  readonly databaseMicroseconds: number | undefined
  /** Instructions of the servers for one request; `undefined` where the machine does not count them. */
  readonly instructions: number | undefined
  readonly p50Ms: number
  readonly p99Ms: number
  /** The part of the time that the cores of this machine worked. */
  readonly busy: number
  /** Whether other programs, or the host of a virtual machine, took cores away meanwhile. */
  readonly isDisturbed: boolean
  /** How many pets were added, also outside the measured time. */
  readonly added: number
}

/** The part of a slice for which server or client may wait for others. */
const TOLERATED = 0.05

/**
 * Keeps each connection busy with one request at a time. CPU time is read before and after, while the servers have
 * nothing to do: the kernel counts that of a running process with a delay. Rejects on the first wrong response.
 */
export async function takeSlice(options: SliceOptions): Promise<Slice> {
  const { servers, requests, durationMs, maxRequests = Number.POSITIVE_INFINITY } = options
  const pids = servers.map(({ pid }) => pid)
  const counter = countsInstructions ? await openEventCounter('instructions:u', pids) : undefined
  const latencies: number[] = []
  let turn = 0
  let added = 0

  function next(): WireRequest | undefined {
    turn = turn + 1 < requests.length ? turn + 1 : 0
    return requests[turn]
  }

  function count({ status }: WireRequest): void {
    if (status === 201) added += 1
  }

  const connections = Array.from({ length: options.connections }, (_, index) =>
    openConnection(servers[index % servers.length]?.port ?? 0),
  )
  try {
    // The first request on each connection is not measured.
    await Promise.all(connections.map((connection) => sendInTurn(connection, once(next), count)))
    const before = readCounters(options)
    counter?.enable()
    const start = performance.now()
    let end = start
    let sent = 0
    const isOver = () => end - start >= durationMs || sent >= maxRequests
    const sendAll = connections.map((connection) =>
      sendInTurn(
        connection,
        () => {
          if (isOver()) return undefined
          sent += 1
          return next()
        },
        (request, sentAt) => {
          count(request)
          end = performance.now()
          latencies.push(end - sentAt)
        },
      ),
    )
    await Promise.all(sendAll)
    counter?.disable()
    const used = difference(readCounters(options), before)
    const instructions = await counter?.read()
    const elapsedMs = end - start
    const { length } = latencies
    // Client and database share a core, so what the client waited beyond the database's time was for others.
    const waited = servers.every(({ isAlone }) => isAlone)
      ? Math.max(used.serverWait, used.clientWait - used.database)
      : 0
    return {
      requests: length,
      requestsPerSecond: (length * 1000) / elapsedMs,
      cpuMicroseconds: used.server / length / 1000,
      databaseMicroseconds: options.databaseCpu && used.database / length / 1000,
      instructions: instructions && instructions / length,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      busy: 1 - used.idle / 1e6 / elapsedMs / cpus().length,
      isDisturbed: Math.max(used.stolen, waited) / 1e6 > elapsedMs * TOLERATED,
      added,
    }
  } finally {
    for (const { close } of connections) close()
  }
}

function once<T>(next: () => T): () => T | undefined {
  let isFirst = true
  return () => {
    if (!isFirst) return undefined
    isFirst = false
    return next()
  }
}

/** Times in nanoseconds. */
type Counters = Readonly<Record<'server' | 'serverWait' | 'clientWait' | 'database' | 'idle' | 'stolen', number>>

function readCounters({ servers, databaseCpu }: SliceOptions): Counters {
  const times = servers.map(({ pid }) => cpuTime(pid))
  return {
    server: sum(times.map(({ used }) => used)),
    serverWait: sum(times.map(({ waited }) => waited)),
    clientWait: cpuTime(process.pid).waited,
    database: databaseCpu?.() ?? 0,
    ...coreTimes(readFileSync('/proc/stat', 'utf8')),
  }
}

function difference(after: Counters, before: Counters): Counters {
  const entries = Object.entries(after) as [keyof Counters, number][]
  return Object.fromEntries(entries.map(([name, value]) => [name, value - before[name]])) as Counters
}
