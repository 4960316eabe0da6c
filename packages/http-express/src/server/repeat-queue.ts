/** Of how many handled requests one may follow a 503 on its connection. */
const REQUESTS_PER_REPEAT = 10
/** Repeats for each millisecond in which the event loop has nothing to do. */
const REPEATS_PER_IDLE_MS = 2
/** How many may pass together, after a time without any. */
const MAX_BURST = 200
const INTERVAL_MS = 10

/**
 * The connections that were sent a 503, in order. Only a part of all requests may follow a 503: a rejection costs about
 * as much as a creation, so clients that repeat at once would take the time of those that are served. Connections that
 * wait here are not read; TCP slows their clients down (docs/decisions/0140-overload.md).
 */
export class RepeatQueue {
  readonly #waiting = new Set<() => void>()
  #allowed = MAX_BURST
  #handled = 0
  #idleMs = 0
  #timer: NodeJS.Timeout | undefined
  readonly #readIdleMs: () => number

  /** With how long the event loop had nothing to do so far. */
  constructor(readIdleMs: () => number = () => performance.eventLoopUtilization().idle) {
    this.#readIdleMs = readIdleMs
    this.#idleMs = readIdleMs()
  }

  /** Counts a request that is handled. */
  count(): void {
    this.#handled += 1
  }

  /** Whether a request may follow now; else `start` is called later, in its turn. */
  mayPass(start: () => void): boolean {
    if (this.#waiting.size === 0) {
      this.#refill()
      if (this.#take()) return true
    }
    this.#waiting.add(start)
    // After the event loop has read from the other connections, so that their requests are first.
    this.#timer ??= setInterval(() => setImmediate(this.#startSome), INTERVAL_MS)
    return false
  }

  /** Removes it; returns whether it waited. */
  leave(start: () => void): boolean {
    return this.#waiting.delete(start)
  }

  #refill(): void {
    const idle = this.#readIdleMs()
    const refill = this.#handled / REQUESTS_PER_REPEAT + (idle - this.#idleMs) * REPEATS_PER_IDLE_MS
    this.#allowed = Math.min(this.#allowed + refill, MAX_BURST)
    this.#handled = 0
    this.#idleMs = idle
  }

  #take(): boolean {
    if (this.#allowed < 1) return false
    this.#allowed -= 1
    return true
  }

  readonly #startSome = (): void => {
    this.#refill()
    for (const start of this.#waiting) {
      if (!this.#take()) return
      this.#waiting.delete(start)
      start()
    }
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
