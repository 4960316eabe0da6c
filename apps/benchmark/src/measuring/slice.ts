import { readFileSync } from 'node:fs'
import { sendInTurn, type WireRequest } from '../requests/connection.ts'
import { quantile } from './statistics.ts'

/** A server that can be measured. */
export interface MeasuredServer {
  readonly port: number
  /** CPU time so far, of all threads. */
  cpuNanoseconds(): number
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
  /** Time before the measured one, for connections and caches. Default: 0. */
  readonly leadInMs?: number
}

/** What a short load measured. */
export interface Slice {
  readonly requests: number
  readonly requestsPerSecond: number
  /** CPU time of the servers for one request. */
  readonly cpuMicroseconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The part of the time that the cores of this machine worked. */
  readonly busy: number
  /** Whether the host of a virtual machine took a core away meanwhile. */
  readonly isDisturbed: boolean
  /** How many pets were added, also outside the measured time. */
  readonly added: number
}

/** Keeps each connection busy with one request at a time. Rejects on the first wrong response. */
export async function takeSlice(options: SliceOptions): Promise<Slice> {
  const { servers, connections, requests, durationMs, maxRequests = Number.POSITIVE_INFINITY } = options
  const latencies = new Latencies()
  let turn = 0
  let added = 0
  let isOver = false
  let start = performance.now() + (options.leadInMs ?? 0)
  let end = start
  let before: Counters | undefined
  let after: Counters | undefined

  function next(): WireRequest | undefined {
    if (isOver) return undefined
    turn = turn + 1 < requests.length ? turn + 1 : 0
    return requests[turn]
  }

  function onResponse({ status }: WireRequest, sentAt: number): void {
    if (status === 201) added += 1
    if (isOver) return
    const now = performance.now()
    if (before === undefined) {
      if (now < start) return
      start = now
      before = readCounters(servers)
      return
    }
    latencies.add(now - sentAt)
    if (now - start < durationMs && latencies.count < maxRequests) return
    isOver = true
    end = now
    after = readCounters(servers)
  }

  const ports = Array.from({ length: connections }, (_, index) => servers[index % servers.length]?.port ?? 0)
  await Promise.all(ports.map((port) => sendInTurn(port, next, onResponse)))
  if (before === undefined || after === undefined) throw new Error('There was nothing to send.')
  const machine = machineUse(before.machine, after.machine)
  return {
    requests: latencies.count,
    requestsPerSecond: latencies.count / ((end - start) / 1000),
    cpuMicroseconds: (after.cpuNanoseconds - before.cpuNanoseconds) / 1000 / latencies.count,
    p50Ms: quantile(latencies.all(), 0.5),
    p99Ms: quantile(latencies.all(), 0.99),
    busy: machine.busy,
    isDisturbed: machine.stolenTicks > 0,
    added,
  }
}

interface Counters {
  readonly cpuNanoseconds: number
  readonly machine: string
}

function readCounters(servers: readonly MeasuredServer[]): Counters {
  return {
    cpuNanoseconds: servers.reduce((sum, server) => sum + server.cpuNanoseconds(), 0),
    machine: readFileSync('/proc/stat', 'utf8'),
  }
}

/** How the machine's cores were used between two readings of `/proc/stat`. */
export function machineUse(before: string, after: string): { busy: number; stolenTicks: number } {
  const [first, last] = [before, after].map((stat) => stat.slice(0, stat.indexOf('\n')).split(/ +/).map(Number))
  // `cpu`, then the time for user, nice, system, idle, waiting for the disk, interrupts, soft interrupts, stolen.
  const ticks = (field: number) => (last?.[field] ?? 0) - (first?.[field] ?? 0)
  const idle = ticks(4) + ticks(5)
  const total = [1, 2, 3, 4, 5, 6, 7, 8].reduce((sum, field) => sum + ticks(field), 0)
  return { busy: (total - idle) / total, stolenTicks: ticks(8) }
}

/** Numbers in an array that grows without an object for each. */
class Latencies {
  #values = new Float64Array(65_536)
  count = 0

  add(value: number): void {
    if (this.count === this.#values.length) {
      const longer = new Float64Array(this.count * 2)
      longer.set(this.#values)
      this.#values = longer
    }
    this.#values[this.count] = value
    this.count += 1
  }

  all(): Float64Array {
    return this.#values.subarray(0, this.count)
  }
}
