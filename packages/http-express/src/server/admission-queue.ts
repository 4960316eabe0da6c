/** The part of the requests under way that connections from the queue may have; the rest is for clients that did not wait in it. */
const SHARE_OF_QUEUE = 0.75
/** After this time, or when no place comes free, some connections are read although their requests may be rejected. */
const MAX_WAIT_MS = 1_000
/** Of how many handled requests one may be such a request. */
const REQUESTS_PER_EXTRA = 50
/** How many for each millisecond in which the event loop has nothing to do. */
const EXTRAS_PER_IDLE_MS = 2
/** How many together, after a time without any. */
const MAX_BURST = 200
const INTERVAL_MS = 10

/**
 * The order in which connections are read while the service is overloaded. After a 503, and after any response while
 * others wait, a connection is not read on until it is its turn: TCP slows its client down. A rejection costs about as
 * much as a creation, so clients that repeat at once would take the time of those that are served
 * (docs/decisions/0014-server.md).
 */
export class AdmissionQueue {
  /** In order, with the time since when each waits. */
  readonly #waiting = new Map<() => void, number>()
  readonly #maxUnderWay: number
  #underWay = 0
  #extras = MAX_BURST
  #mayUseExtras = false
  #hasFreePlaces = false
  #handled = 0
  #idleMs = 0
  #timer: NodeJS.Timeout | undefined
  #next: NodeJS.Immediate | undefined
  readonly #readIdleMs: () => number

  /** With the bound of requests under way, and how long the event loop had nothing to do so far. */
  constructor(maxRequests: number, readIdleMs: () => number = () => performance.eventLoopUtilization().idle) {
    this.#maxUnderWay = Math.max(1, Math.floor(maxRequests * SHARE_OF_QUEUE))
    this.#readIdleMs = readIdleMs
    this.#idleMs = readIdleMs()
  }

  /** Counts a request that is under way. */
  begin(): void {
    this.#underWay += 1
    this.#handled += 1
  }

  /** Counts one that has ended. */
  end(): void {
    this.#underWay -= 1
    if (this.#waiting.size > 0) this.#admitSoon()
  }

  /** Whether a connection may be read on after a response; else `readOn` is called later, in its turn. */
  mayReadOn(readOn: () => void, wasRejected: boolean): boolean {
    if (this.#waiting.size === 0 && !wasRejected) return true
    this.#waiting.set(readOn, performance.now())
    this.#timer ??= setInterval(this.#check, INTERVAL_MS)
    this.#admitSoon()
    return false
  }

  /** Removes it; returns whether it waited. */
  leave(readOn: () => void): boolean {
    return this.#waiting.delete(readOn)
  }

  readonly #check = (): void => {
    const idle = this.#readIdleMs()
    const refill = this.#handled / REQUESTS_PER_EXTRA + (idle - this.#idleMs) * EXTRAS_PER_IDLE_MS
    this.#extras = Math.min(this.#extras + refill, MAX_BURST)
    this.#handled = 0
    this.#idleMs = idle
    const [oldest = Number.POSITIVE_INFINITY] = this.#waiting.values()
    this.#mayUseExtras = !this.#hasFreePlaces || performance.now() - oldest > MAX_WAIT_MS
    this.#hasFreePlaces = false
    this.#admitSoon()
  }

  /** After the event loop has read from those that were admitted before. */
  #admitSoon(): void {
    this.#next ??= setImmediate(this.#admit)
  }

  readonly #admit = (): void => {
    this.#next = undefined
    let free = this.#maxUnderWay - this.#underWay
    if (free > 0) this.#hasFreePlaces = true
    for (const readOn of this.#waiting.keys()) {
      if (free > 0) free -= 1
      else if (this.#mayUseExtras && this.#extras >= 1) this.#extras -= 1
      else break
      this.#waiting.delete(readOn)
      readOn()
      // A client that sends nothing takes no place.
      this.#admitSoon()
    }
    this.#mayUseExtras = false
    if (this.#waiting.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
