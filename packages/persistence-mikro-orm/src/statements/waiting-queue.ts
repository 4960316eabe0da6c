import { type Cancellation, type PetError, persistenceUnavailable } from '@pet-store/domain'
import type { SqlValue } from '../entities/codec.ts'

/** How many statements wait for a connection, a lock or the server, and how long. */
export interface WaitingLimits {
  readonly maxStatements: number
  readonly maxBytes: number
  readonly maxWaitMs: number
}

export const WAITING_LIMITS: WaitingLimits = {
  maxStatements: 10_000,
  maxBytes: 16 * 1024 * 1024,
  maxWaitMs: 5_000,
}

/** A statement that waits. */
export interface WaitingStatement {
  readonly bytes: number
  readonly cancellation?: Cancellation | undefined
  readonly reject: (error: unknown) => void
}

/** Statements in the order in which they arrived. Those that wait too long are rejected, whatever those before them do. */
export class WaitingQueue<Item extends WaitingStatement> {
  readonly #limits: WaitingLimits
  #entries: { readonly item: Item; readonly deadline: number }[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limits: WaitingLimits = WAITING_LIMITS) {
    this.#limits = limits
  }

  get length(): number {
    return this.#entries.length
  }

  /** Adds a statement, or rejects it if there is no room. */
  add(item: Item): void {
    const { maxStatements, maxBytes, maxWaitMs } = this.#limits
    if (this.#entries.length >= maxStatements || this.#bytes + item.bytes > maxBytes) {
      item.reject(tooManyWait())
      return
    }
    this.#bytes += item.bytes
    this.#entries.push({ item, deadline: performance.now() + maxWaitMs })
    this.#watch()
  }

  /** Takes the next statements. Those that were cancelled or are late are rejected instead. */
  take(max = Number.POSITIVE_INFINITY): readonly Item[] {
    const now = performance.now()
    const taken: Item[] = []
    let count = 0
    for (const { item, deadline } of this.#entries) {
      if (taken.length === max) break
      count += 1
      this.#bytes -= item.bytes
      const reason = rejectionFor(item.cancellation, deadline <= now)
      if (reason === undefined) taken.push(item)
      else item.reject(reason)
    }
    this.#entries.splice(0, count)
    return taken
  }

  #watch(): void {
    const [oldest] = this.#entries
    if (oldest === undefined || this.#timer !== undefined) return
    const waitMs = Math.max(1, oldest.deadline - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#rejectLate()
      this.#watch()
    }, waitMs).unref()
  }

  #rejectLate(): void {
    const now = performance.now()
    const inTime = this.#entries.findIndex(({ deadline }) => deadline > now)
    for (const { item } of this.#entries.splice(0, inTime === -1 ? this.#entries.length : inTime)) {
      this.#bytes -= item.bytes
      item.reject(waitedTooLong())
    }
  }
}

/** Why a statement that has waited must not be sent; `undefined` if it may. */
export function rejectionFor(cancellation: Cancellation | undefined, isLate: boolean): PetError | undefined {
  if (cancellation?.aborted)
    return persistenceUnavailable({ message: 'The caller no longer waits for this statement.' })
  return isLate ? waitedTooLong() : undefined
}

export function tooManyWait(): PetError {
  return persistenceUnavailable({ message: 'Too many statements are waiting for the database.' })
}

function waitedTooLong(): PetError {
  return persistenceUnavailable({ message: 'The statement has waited too long for the database.' })
}

/** The memory that a waiting statement holds, roughly: its texts, and its closures. */
export function bytesOf(values: readonly SqlValue[]): number {
  let bytes = 500
  for (const value of values) if (typeof value === 'string') bytes += 2 * value.length
  return bytes
}

/** The calls that must end before a database is closed. */
export class RunningCalls {
  readonly #calls = new Set<Promise<unknown>>()

  async add<Result>(call: Promise<Result>): Promise<Result> {
    this.#calls.add(call)
    try {
      return await call
    } finally {
      this.#calls.delete(call)
    }
  }

  /** Resolves when all of them have ended, in whatever way. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#calls)
  }
}
