import { type Cancellation, type PetError, persistenceUnavailable } from '@pet-store/domain'
import type { SqlValue } from '../entities/codec.ts'

/** The limits of everything that waits for a connection, a lock or the server. */
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

/** Counts the statements that wait, and their bytes. */
export class WaitingStatements {
  readonly #limits: WaitingLimits
  #statements = 0
  #bytes = 0

  constructor(limits: WaitingLimits = WAITING_LIMITS) {
    this.#limits = limits
  }

  /** Counts a statement, or returns why there is no room for it. */
  add(bytes: number): PetError | undefined {
    if (this.#statements >= this.#limits.maxStatements || this.#bytes + bytes > this.#limits.maxBytes) {
      return persistenceUnavailable({ message: 'Too many statements are waiting for the database.' })
    }
    this.#statements += 1
    this.#bytes += bytes
    return undefined
  }

  remove(bytes: number): void {
    this.#statements -= 1
    this.#bytes -= bytes
  }
}

/** A write that waits. */
export interface WaitingWrite {
  readonly bytes: number
  readonly cancellation?: Cancellation | undefined
  readonly reject: (error: unknown) => void
}

/** Writes in the order in which they arrived. Those that wait too long are rejected, whatever those before them do. */
export class WaitingQueue<Write extends WaitingWrite> {
  readonly #limits: WaitingLimits
  readonly #counted: WaitingStatements
  #entries: { readonly write: Write; readonly deadline: number }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(limits: WaitingLimits = WAITING_LIMITS) {
    this.#limits = limits
    this.#counted = new WaitingStatements(limits)
  }

  get length(): number {
    return this.#entries.length
  }

  /** Adds a write, or rejects it if there is no room. */
  add(write: Write): void {
    const reason = this.#counted.add(write.bytes)
    if (reason !== undefined) {
      write.reject(reason)
      return
    }
    this.#entries.push({ write, deadline: performance.now() + this.#limits.maxWaitMs })
    this.#watch()
  }

  /** Takes the next writes. Those that were cancelled or are late are rejected instead. */
  take(max = Number.POSITIVE_INFINITY): readonly Write[] {
    const now = performance.now()
    const taken: Write[] = []
    let count = 0
    for (const { write, deadline } of this.#entries) {
      if (taken.length === max) break
      count += 1
      this.#counted.remove(write.bytes)
      const reason = rejectionFor(write.cancellation, deadline <= now)
      if (reason === undefined) taken.push(write)
      else write.reject(reason)
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
    for (const { write } of this.#entries.splice(0, inTime === -1 ? this.#entries.length : inTime)) {
      this.#counted.remove(write.bytes)
      write.reject(waitedTooLong())
    }
  }
}

/** Why a statement that has waited must not be sent; `undefined` if it may. */
export function rejectionFor(cancellation: Cancellation | undefined, isLate: boolean): PetError | undefined {
  if (cancellation?.aborted)
    return persistenceUnavailable({ message: 'The caller no longer waits for this statement.' })
  return isLate ? waitedTooLong() : undefined
}

export function waitedTooLong(): PetError {
  return persistenceUnavailable({ message: 'The statement has waited too long for the database.' })
}

/** The memory that a waiting statement holds, roughly: its texts, and its closures. */
export function bytesOf(values: readonly SqlValue[]): number {
  let bytes = 500
  for (const value of values) if (typeof value === 'string') bytes += 2 * value.length
  return bytes
}
