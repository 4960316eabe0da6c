import { type Cancellation, type PetError, persistenceUnavailable } from '@pet-store/domain'
import type { SqlValue } from './sql-values.ts'

export const WAITING_LIMITS = {
  /** How many statements wait for a connection, a lock or the server, */
  maxStatements: 10_000,
  /** how much memory they take, */
  maxBytes: 16 * 1024 * 1024,
  /** and how long they wait. */
  maxWaitMs: 5_000,
  /** The number of statements of a group. */
  maxGroupSize: 10_000,
  /** The number of groups that run at the same time, to begin with. */
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
 * Runs the statements of one turn of the event loop together: one transaction or one round trip,
 * and one wait for the disk, serve all of them. Statements that arrive while the maximum number of
 * groups runs are the next group.
 *
 * Until their group is taken, statements wait in the order in which they arrived. A statement that
 * waits too long is rejected, whatever the statements before it do.
 */
export class GroupedStatements<Work, Result> {
  readonly #runGroup
  readonly #options: typeof WAITING_LIMITS
  /** The number of groups that run at the same time; it may change at any time. */
  maxGroups: number
  #waiting: WaitingStatement<Work, Result>[] = []
  #bytes = 0
  #running = 0
  #isScheduled = false
  #timer: NodeJS.Timeout | undefined
  readonly #onIdle: (() => void)[] = []

  /**
   * `runGroup` calls `take` when the database is ready, and gives each statement its result. If it
   * throws, the group is rejected; if it has taken none, everything that waits is, because it waits
   * for the same. If it has taken none and does not throw, it is called again.
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

  /** Whether a statement waits or runs. */
  get isBusy(): boolean {
    return this.#running > 0 || this.#waiting.length > 0
  }

  /**
   * Adds a statement with the values that it holds. One that is cancelled before it is taken is not
   * run.
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
      this.#watch()
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

  /** Takes the next statements. Those that were cancelled or are late are rejected instead. */
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

  #watch(): void {
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
      this.#watch()
      this.#schedule()
    }
    this.#timer = setTimeout(rejectLate, Math.max(1, oldest.deadline - performance.now())).unref()
  }
}

/**
 * Why a statement must not be sent, or no longer be waited for; `undefined` if there is no reason.
 */
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

/** The memory that a waiting statement holds, roughly: its texts, and its closures. */
export function bytesOf(values: readonly SqlValue[]): number {
  let bytes = 500
  for (const value of values) if (typeof value === 'string') bytes += 2 * value.length
  return bytes
}
