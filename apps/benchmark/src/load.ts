import { converse, type WireRequest } from './conversation.ts'

export interface LoadOptions<Figure> {
  /** Of one server, or of several among which the connections are shared out evenly. */
  readonly ports: readonly number[]
  readonly connections: number
  /** Taken in turn by whichever connection is free. */
  readonly requests: readonly WireRequest[]
  /** The load ends after so many milliseconds, or so many requests. */
  readonly milliseconds: number
  readonly maxRequests?: number
  /** Time before the measured one, for connections and caches. */
  readonly leadInMs?: number
  /** Read at both ends of the measured time. */
  readonly probe: () => Figure
}

/** What a load did. */
export interface LoadResult<Figure> {
  readonly requests: number
  readonly seconds: number
  /** Milliseconds from the sending of each request to the end of its answer. */
  readonly latencies: Float64Array
  readonly before: Figure
  readonly after: Figure
  /** All that were answered, those of the lead-in and the last ones too, and how many of them added something. */
  readonly answered: number
  readonly added: number
}

/** Keeps every connection busy with one request at a time. Rejects on the first wrong answer. */
export async function load<Figure>(options: LoadOptions<Figure>): Promise<LoadResult<Figure>> {
  const { ports, connections, requests, milliseconds, maxRequests = Number.POSITIVE_INFINITY } = options
  const { leadInMs = 0, probe } = options
  const latencies = new Latencies()
  let turn = 0
  let answered = 0
  let added = 0
  let isOver = false
  let start = performance.now() + leadInMs
  let end = start
  let before: Figure | undefined
  let after: Figure | undefined

  function next(): WireRequest | undefined {
    if (isOver) return undefined
    turn = turn + 1 < requests.length ? turn + 1 : 0
    return requests[turn]
  }

  function onAnswer({ status }: WireRequest, sentAt: number): void {
    answered += 1
    if (status === 201) added += 1
    if (isOver) return
    const now = performance.now()
    if (before === undefined) {
      if (now < start) return
      start = now
      before = probe()
      return
    }
    latencies.add(now - sentAt)
    if (now - start < milliseconds && latencies.count < maxRequests) return
    isOver = true
    end = now
    after = probe()
  }

  const portsInTurn = Array.from({ length: connections }, (_, index) => ports[index % ports.length] ?? 0)
  await Promise.all(portsInTurn.map((port) => converse(port, next, onAnswer)))
  if (before === undefined || after === undefined) throw new Error('There was nothing to send.')
  const seconds = (end - start) / 1000
  return { requests: latencies.count, seconds, latencies: latencies.all(), before, after, answered, added }
}

/** Numbers in a row that grows without an object for each. */
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
