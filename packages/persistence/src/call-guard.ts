import {
  type Cancellation,
  isPetError,
  persistenceUnavailable,
  type WriteOutcome,
} from '@pet-store/domain'
import { startDeadline } from './deadline.ts'

/** The limits of calls to a database, and what its errors mean. */
export interface CallGuardOptions {
  /**
   * What is known about a write that failed with this error; decide by its code, not by its
   * message. `undefined`: the error does not mean that the database is unavailable, so the call
   * rejects with it unchanged. A `PetError` is not passed to it: work that could not get a
   * connection, and has sent nothing, throws `persistenceUnavailable()`.
   */
  readonly outcomeOf: (error: unknown) => WriteOutcome | undefined
  /**
   * Throws if nothing can be sent to the database now, because there is no connection for example.
   * Called right before the work of each call; the call then rejects with the outcome `not_stored`,
   * whatever the error is. Default: something can always be sent.
   */
  readonly assertAvailable?: () => void
  /**
   * How long a call may take, its wait included, before it rejects. Time in which this process gets
   * no processor counts only in part: by the clock it may be six times as long. Default: 5,000.
   */
  readonly deadlineMs?: number
  /** The maximum number of calls that have not ended; further ones reject. Default: 10,000. */
  readonly maxCalls?: number
  /**
   * The maximum number of calls that run at the same time; the others wait in the order in which
   * they were made. Default: no maximum.
   */
  readonly concurrency?: number
}

/** Calls to a database that end in time, and reject as the ports require. */
export interface CallGuard {
  /** Runs work that changes nothing. The outcome of a failure is `not_stored`. */
  read<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * Runs work that writes, once; work that fails is never repeated. Rejects without running it if
   * it is cancelled by then. If it does not end in time, the outcome is `unknown`.
   */
  write<Result>(work: () => Promise<Result>, cancellation?: Cancellation): Promise<Result>
  /** The number of calls that wait for others, because of `concurrency`. For `poolUse`. */
  waiting(): number
  /**
   * Resolves when every call has resolved or rejected: after the deadline at the latest. For
   * `close`.
   */
  finish(): Promise<void>
}

/** Gives the calls of an adapter a deadline, a limited queue, and the outcome of their errors. */
export function createCallGuard({
  outcomeOf,
  assertAvailable = () => {},
  deadlineMs = 5_000,
  maxCalls = 10_000,
  concurrency = Number.POSITIVE_INFINITY,
}: CallGuardOptions): CallGuard {
  /** Calls that have not resolved or rejected. */
  const calls = new Set<Promise<unknown>>()
  /** The number of calls whose work has not ended, even if they have missed their deadline. */
  let unfinished = 0
  let running = 0
  /** Lets the next call run: one function for each call that waits. */
  const waiting: (() => void)[] = []

  /**
   * Lets the next call run in place of one that has ended. `running` does not change in between, so
   * that no other call begins before it.
   */
  function endOne(): void {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }

  function call<Result>(
    work: () => Promise<Result>,
    late: WriteOutcome,
    cancellation?: Cancellation,
  ): Promise<Result> {
    if (unfinished >= maxCalls)
      return Promise.reject(persistenceUnavailable({ message: 'Too many calls wait.' }))
    let hasBegun = false
    let isLate = false
    const working = (async () => {
      if (running < concurrency) running += 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        if (isLate || cancellation?.aborted)
          throw persistenceUnavailable({ message: 'The caller no longer waits.' })
        try {
          assertAvailable()
        } catch (cause) {
          throw persistenceUnavailable({ cause })
        }
        hasBegun = true
        return await work()
      } finally {
        endOne()
      }
    })()
    unfinished += 1
    const result = new Promise<Result>((resolve, reject) => {
      const rejectLate = () => {
        isLate = true
        const message = `The database did not respond within ${deadlineMs} ms.`
        reject(persistenceUnavailable({ message, outcome: hasBegun ? late : 'not_stored' }))
      }
      // While the process was busy or not scheduled, the response may have arrived together with
      // the deadline. `setImmediate` lets Node read it first.
      const cancelDeadline = startDeadline(deadlineMs, () => setImmediate(rejectLate))
      const end = () => {
        unfinished -= 1
        cancelDeadline()
      }
      working
        .then(resolve, (error: unknown) => reject(failure(error, late)))
        .finally(end)
        .catch(() => {})
    })
    calls.add(result)
    const forget = () => void calls.delete(result)
    result.then(forget, forget)
    return result
  }

  function failure(error: unknown, late: WriteOutcome): unknown {
    if (isPetError(error)) return error
    const outcome = outcomeOf(error)
    if (outcome === undefined) return error
    return persistenceUnavailable({
      cause: error,
      outcome: late === 'unknown' ? outcome : 'not_stored',
    })
  }

  return {
    read: (work) => call(work, 'not_stored'),
    write: (work, cancellation) => call(work, 'unknown', cancellation),
    waiting: () => waiting.length,
    async finish() {
      while (calls.size > 0) await Promise.allSettled(calls)
    },
  }
}
