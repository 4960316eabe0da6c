import { type Cancellation, type PetError, persistenceUnavailable } from '@pet-store/domain'
import type { SqlValue } from './sql-values.ts'

/** Limits for statements that wait for a connection, a lock or the server. */
export const WAITING_LIMITS = {
  /** The maximum number of statements that wait; further ones are rejected. */
  maxStatements: 10_000,
  /** The maximum memory that they take; further ones are rejected. */
  maxBytes: 16 * 1024 * 1024,
  /** How long a statement waits before it is rejected. */
  maxWaitMs: 5_000,
  /** The maximum number of statements of a group. */
  maxGroupSize: 10_000,
  /** The number of groups that may run at the same time; it may be changed later. */
  maxGroups: 1,
}

export type GroupOptions = Readonly<Partial<typeof WAITING_LIMITS>>

/** A statement from its call to its result. */
export interface WaitingStatement<Work, Result> {
  readonly work: Work
  readonly bytes: number
  readonly cancellation: Cancellation | undefined
  readonly deadline: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs the statements of one turn of the event loop as a group: one transaction or one round trip,
 * and one wait for the disk, serve all of them. Statements that arrive while `maxGroups` groups run
 * form the next group.
 *
 * Statements are taken in the order in which they arrived. A statement that waits too long for its
 * group is rejected, even if the statements before it make no progress.
 */
export class GroupedStatements<Work, Result> {
  readonly #runGroup
  readonly #options: typeof WAITING_LIMITS
  /** The maximum number of groups that run at the same time; it may be changed at any time. */
  maxGroups: number
  #waiting: WaitingStatement<Work, Result>[] = []
  #bytes = 0
  #running = 0
  #isScheduled = false
  #timer: NodeJS.Timeout | undefined
  readonly #onIdle: (() => void)[] = []

  /**
   * `runGroup` calls `take` when the database is ready, which returns the statements of the group,
   * and gives each of them its result. If it rejects, they are rejected with its error. If it
   * rejects before it has called `take`, all waiting statements are rejected, because they wait for
   * the same database. If it resolves without calling `take`, it is called again.
   */
  constructor(
    runGroup: (take: () => readonly WaitingStatement<Work, Result>[]) => Promise<void>,
    options: GroupOptions = {},
  ) {
    this.#runGroup = runGroup
    this.#options = { ...WAITING_LIMITS, ...options }
    this.maxGroups = this.#options.maxGroups
  }

  /** The number of statements whose group has not begun. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Whether any statement waits or runs. */
  get isBusy(): boolean {
    return this.#running > 0 || this.#waiting.length > 0
  }

  /**
   * Adds a statement. `values` are those that it holds in memory while it waits. A statement that
   * is cancelled before its group begins is rejected.
   */
  add(work: Work, values: readonly SqlValue[], cancellation?: Cancellation): Promise<Result> {
    const bytes = bytesOf(values)
    const { maxStatements, maxBytes, maxWaitMs } = this.#options
    if (this.#waiting.length >= maxStatements || this.#bytes + bytes > maxBytes)
      return Promise.reject(tooManyWait())
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + maxWaitMs
      this.#waiting.push({ work, bytes, cancellation, deadline, resolve, reject })
      this.#bytes += bytes
      this.#startTimer()
      this.#schedule()
    })
  }

  /** Resolves when every statement has its result. */
  async finish(): Promise<void> {
    if (this.isBusy) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  #schedule(): void {
    const { maxGroupSize } = this.#options
    if (!this.isBusy) for (const resolve of this.#onIdle.splice(0)) resolve()
    if (this.#isScheduled || this.#waiting.length === 0 || this.#running >= this.maxGroups) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const groups = Math.min(
        this.maxGroups - this.#running,
        Math.ceil(this.#waiting.length / maxGroupSize),
      )
      for (let group = 0; group < groups; group += 1) void this.#run()
    })
  }

  async #run(): Promise<void> {
    let group: readonly WaitingStatement<Work, Result>[] = []
    this.#running += 1
    try {
      await this.#runGroup(() => {
        group = this.#take(this.#options.maxGroupSize)
        return group
      })
    } catch (error) {
      for (const { reject } of group.length > 0 ? group : this.#take()) reject(error)
    }
    this.#running -= 1
    this.#schedule()
  }

  /** Takes the next statements, and rejects those that were cancelled or have waited too long. */
  #take(max = Number.POSITIVE_INFINITY): readonly WaitingStatement<Work, Result>[] {
    const taken: WaitingStatement<Work, Result>[] = []
    let count = 0
    for (const statement of this.#waiting) {
      if (taken.length === max) break
      count += 1
      this.#bytes -= statement.bytes
      const reason = rejectionFor(statement)
      if (reason === undefined) taken.push(statement)
      else statement.reject(reason)
    }
    this.#waiting.splice(0, count)
    return taken
  }

  /** Starts the timer that rejects the oldest statement at its deadline, unless it is running. */
  #startTimer(): void {
    const [oldest] = this.#waiting
    if (oldest === undefined || this.#timer !== undefined) return
    const rejectLate = () => {
      this.#timer = undefined
      const now = performance.now()
      const inTime = this.#waiting.findIndex(({ deadline }) => deadline > now)
      for (const { bytes, reject } of this.#waiting.splice(
        0,
        inTime === -1 ? this.#waiting.length : inTime,
      )) {
        this.#bytes -= bytes
        reject(waitedTooLong())
      }
      this.#startTimer()
      this.#schedule()
    }
    this.#timer = setTimeout(rejectLate, Math.max(1, oldest.deadline - performance.now())).unref()
  }
}

/** The error of a statement that was cancelled or has waited too long; else `undefined`. */
export function rejectionFor({
  cancellation,
  deadline,
}: Pick<WaitingStatement<unknown, unknown>, 'cancellation' | 'deadline'>): PetError | undefined {
  if (cancellation?.aborted)
    return persistenceUnavailable({ message: 'The caller no longer waits for this statement.' })
  return deadline <= performance.now() ? waitedTooLong() : undefined
}

export function tooManyWait(): PetError {
  return persistenceUnavailable({ message: 'Too many statements are waiting for the database.' })
}

function waitedTooLong(): PetError {
  return persistenceUnavailable({ message: 'The statement has waited too long for the database.' })
}

/** About how much memory a waiting statement takes: its texts, and 500 bytes for its objects. */
export function bytesOf(values: readonly SqlValue[]): number {
  let bytes = 500
  for (const value of values) if (typeof value === 'string') bytes += 2 * value.length
  return bytes
}
