import { type Cancellation, persistenceUnavailable } from '@pet-store/domain'
import {
  bytesOf,
  rejectionFor,
  type SqlValue,
  WAITING_LIMITS,
  type WaitingLimits,
  WaitingQueue,
  type WaitingWrite,
} from '@pet-store/persistence-mikro-orm'
import { isInvalidValue } from '../database/unavailable.ts'

/** The number of rows of a group. */
const MAX_ROWS = 500

/** Inserts that are put together. */
export interface GroupedWrites<Values, Result> {
  /** Resolves after the commit. An insert with invalid values fails alone. */
  add(values: Values, cancellation?: Cancellation): Promise<Result>
  /** Resolves when all inserts have settled. */
  finish(): Promise<void>
}

/** Inserts rows in one statement and returns a result for each, in their order, or changes nothing. */
export type InsertRows<Values, Result> = (rows: readonly Values[]) => Promise<readonly Result[]>

interface WaitingInsert<Values, Result> extends WaitingWrite {
  readonly values: Values
  readonly resolve: (result: Result) => void
}

/**
 * Puts the inserts of one turn of the event loop into one statement: one round trip and one wait for the disk serve all
 * of them. If the server rejects one of the values, each insert runs by itself, so that an invalid one fails alone; after
 * any other error nobody knows what is stored, so nothing is repeated and all of them are rejected with it.
 *
 * `onConnection` calls its argument when there is a connection. Until then inserts wait here, so that the wait for a
 * connection is within their deadline.
 */
export function createGroupedWrites<Values extends readonly SqlValue[], Result>(
  onConnection: (work: (insert: InsertRows<Values, Result>) => Promise<void>) => Promise<void>,
  limits: WaitingLimits = WAITING_LIMITS,
): GroupedWrites<Values, Result> {
  type Insert = WaitingInsert<Values, Result>
  const queue = new WaitingQueue<Insert>(limits)
  /** One group at a time: inserts that arrive meanwhile are the next one. Two would be smaller, and cost both sides more. */
  let sent: Promise<void> | undefined
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || queue.length === 0 || sent !== undefined) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      begin()
    })
  }

  function begin(): void {
    if (sent !== undefined || queue.length === 0) return
    sent = send().finally(() => {
      sent = undefined
      schedule()
    })
  }

  async function send(): Promise<void> {
    let group: readonly Insert[] = []
    try {
      await onConnection(async (insert) => {
        group = queue.take(MAX_ROWS)
        if (group.length > 0) await insertGroup(insert, group)
      })
    } catch (error) {
      // Without a connection none was taken: all of them wait for the same one.
      for (const { reject } of group.length > 0 ? group : queue.take()) reject(error)
    }
  }

  async function insertGroup(insert: InsertRows<Values, Result>, group: readonly Insert[]): Promise<void> {
    try {
      const results = await insert(group.map(({ values }) => values))
      if (results.length !== group.length) {
        throw persistenceUnavailable({ outcome: 'unknown', cause: new Error('The server returned too few rows.') })
      }
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (group.length === 1 || !isInvalidValue(error)) throw error
      await insertEach(insert, group)
    }
  }

  async function insertEach(insert: InsertRows<Values, Result>, group: readonly Insert[]): Promise<void> {
    const deadline = performance.now() + limits.maxWaitMs
    for (const one of group) {
      const reason = rejectionFor(one.cancellation, performance.now() >= deadline)
      if (reason === undefined) await insertGroup(insert, [one]).catch(one.reject)
      else one.reject(reason)
    }
  }

  return {
    add: (values, cancellation) =>
      new Promise((resolve, reject) => {
        queue.add({ values, bytes: bytesOf(values), cancellation, resolve, reject })
        schedule()
      }),

    async finish() {
      while (queue.length > 0 || sent !== undefined) {
        begin()
        await sent
      }
    },
  }
}
