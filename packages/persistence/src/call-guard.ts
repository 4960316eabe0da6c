import {
  type Cancellation,
  isPetError,
  persistenceUnavailable,
  type WriteOutcome,
} from '@pet-store/domain'

/** How calls of a database are bounded, and what its errors mean. */
export interface CallGuardOptions {
  /**
   * What is known of a write that has failed with this error, by its code; `undefined` for an error
   * that does not say that the database is unavailable, which passes through.
   */
  readonly outcomeOf: (error: unknown) => WriteOutcome | undefined
  /** After how long a call rejects. Default: 5,000. */
  readonly deadlineMs?: number
  /** The maximum number of calls that have not ended; further ones reject. Default: 10,000. */
  readonly maxCalls?: number
  /** How many calls run at the same time; the others wait, in their order. Default: all. */
  readonly concurrency?: number
}

/** Calls of a database that end in time, and reject as the ports ask. */
export interface CallGuard {
  /** For what changes nothing: a failure is `not_stored`. */
  read<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * For what writes: looks at the cancellation right before, and is never repeated. What has begun
   * and does not end in time is `unknown`.
   */
  write<Result>(work: () => Promise<Result>, cancellation?: Cancellation): Promise<Result>
  /** Resolves when every call has its result, for `close`: after the deadline at the latest. */
  finish(): Promise<void>
}

/** What every adapter needs around its calls: a deadline, a limited queue, and the outcome. */
export function createCallGuard({
  outcomeOf,
  deadlineMs = 5_000,
  maxCalls = 10_000,
  concurrency = Number.POSITIVE_INFINITY,
}: CallGuardOptions): CallGuard {
  /** Calls that have not resolved or rejected. */
  const calls = new Set<Promise<unknown>>()
  /** Work that has missed its deadline counts until it ends. */
  let unfinished = 0
  const waiting: (() => void)[] = []
  let running = 0

  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
      waiting.shift()?.()
    }
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
      if (running >= concurrency || waiting.length > 0)
        await new Promise<void>((resolve) => waiting.push(resolve))
      if (isLate || cancellation?.aborted) {
        waiting.shift()?.()
        throw persistenceUnavailable({ message: 'The caller no longer waits.' })
      }
      hasBegun = true
      return run(work)
    })()
    unfinished += 1
    const result = new Promise<Result>((resolve, reject) => {
      const rejectLate = () => {
        isLate = true
        const message = `The database did not respond within ${deadlineMs} ms.`
        reject(persistenceUnavailable({ message, outcome: hasBegun ? late : 'not_stored' }))
      }
      // A response may have arrived while this process got no processor: it is read first.
      const timer = setTimeout(() => setImmediate(rejectLate), deadlineMs)
      const end = () => {
        unfinished -= 1
        clearTimeout(timer)
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
    async finish() {
      while (calls.size > 0) await Promise.allSettled(calls)
    },
  }
}
