import type { Cancellation } from '@pet-store/domain'
import type { SqlValue } from './sql-values.ts'
import {
  bytesOf,
  rejectionFor,
  tooManyWait,
  WAITING_LIMITS,
  type WaitingStatement,
  waitedTooLong,
} from './waiting-statement.ts'

/** The limits of the groups, and of the statements that wait for one. */
const LIMITS = {
  ...WAITING_LIMITS,
  /** The maximum number of statements of a group. */
  maxGroupSize: 10_000,
  /** The number of groups that may run at the same time; it may be changed later. */
  maxGroups: 1,
}

/** Other limits than the defaults. */
export type GroupOptions = Readonly<Partial<typeof LIMITS>>

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
  readonly #options: typeof LIMITS
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
    this.#options = { ...LIMITS, ...options }
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
