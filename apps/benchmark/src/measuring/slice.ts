import { readFileSync } from 'node:fs'
import { sendInTurn, type WireRequest } from '../requests/connection.ts'
import { countsInstructions, openEventCounter } from './event-counter.ts'
import { quantile } from './statistics.ts'

/** A server that can be measured. */
export interface MeasuredServer {
  readonly pid: number
  readonly port: number
  /** The core on which it runs alone; `undefined` where it is not pinned. */
  readonly core?: number | undefined
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
  /** Instructions of the servers for one request; `undefined` where the machine does not count them. */
  readonly instructions: number | undefined
  readonly p50Ms: number
  readonly p99Ms: number
  /** The part of the time that the cores of this machine worked. */
  readonly busy: number
  /** Whether the host of a virtual machine, or another program, took the server's core away meanwhile. */
  readonly isDisturbed: boolean
  /** How many pets were added, also outside the measured time. */
  readonly added: number
}

/** Keeps each connection busy with one request at a time. Rejects on the first wrong response. */
export async function takeSlice(options: SliceOptions): Promise<Slice> {
  const { servers, connections, requests, durationMs, maxRequests = Number.POSITIVE_INFINITY } = options
  const pids = servers.map(({ pid }) => pid)
  const counter = countsInstructions ? await openEventCounter('instructions:u', pids) : undefined
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
      counter?.enable()
      return
    }
    latencies.add(now - sentAt)
    if (now - start < durationMs && latencies.count < maxRequests) return
    isOver = true
    end = now
    after = readCounters(servers)
    counter?.disable()
  }

  const ports = Array.from({ length: connections }, (_, index) => servers[index % servers.length]?.port ?? 0)
  await Promise.all(ports.map((port) => sendInTurn(port, next, onResponse)))
  if (before === undefined || after === undefined) throw new Error('There was nothing to send.')
  const instructions = await counter?.read()
  const cpuSeconds = (after.cpuNanoseconds - before.cpuNanoseconds) / 1e9
  const seconds = (end - start) / 1000
  return {
    requests: latencies.count,
    requestsPerSecond: latencies.count / seconds,
    cpuMicroseconds: (cpuSeconds * 1e6) / latencies.count,
    instructions: instructions && instructions / latencies.count,
    p50Ms: quantile(latencies.all(), 0.5),
    p99Ms: quantile(latencies.all(), 0.99),
    busy: coreUse(before.cores, after.cores).busy,
    isDisturbed: isDisturbed(before.cores, after.cores, servers[0]?.core, cpuSeconds, seconds),
    added,
  }
}

interface Counters {
  readonly cpuNanoseconds: number
  readonly cores: string
}

function readCounters(servers: readonly MeasuredServer[]): Counters {
  return {
    cpuNanoseconds: servers.reduce((sum, server) => sum + server.cpuNanoseconds(), 0),
    cores: readFileSync('/proc/stat', 'utf8'),
  }
}

/** The kernel counts the time of cores in these towards programs. */
const TICKS_PER_SECOND = 100

/** The part of a slice that others may have on the server's core, so that a tick of the kernel's own is no disturbance. */
const TOLERATED = 0.05

function isDisturbed(before: string, after: string, core: number | undefined, cpuSeconds: number, seconds: number) {
  if (coreUse(before, after).stolenTicks > 0) return true
  if (core === undefined) return false
  return coreUse(before, after, core).busyTicks / TICKS_PER_SECOND - cpuSeconds > seconds * TOLERATED
}

/** How a core, or all together, were used between two readings of `/proc/stat`. */
export function coreUse(before: string, after: string, core: number | '' = '') {
  const [first, last] = [before, after].map((stat) => {
    // `cpu`, then the time for user, nice, system, idle, waiting for the disk, interrupts, soft interrupts, stolen.
    return new RegExp(`^cpu${core} +(.*)$`, 'm').exec(stat)?.[1]?.split(' ').map(Number)
  })
  const ticks = Array.from({ length: 8 }, (_, field) => (last?.[field] ?? 0) - (first?.[field] ?? 0))
  const [, , , idle = 0, waiting = 0, , , stolenTicks = 0] = ticks
  const total = ticks.reduce((sum, time) => sum + time, 0)
  const busyTicks = total - idle - waiting
  return { busyTicks, busy: busyTicks / total, stolenTicks }
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
