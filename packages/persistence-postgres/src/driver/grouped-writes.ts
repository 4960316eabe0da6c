import { type Cancellation, type PetId, persistenceUnavailable } from '@pet-store/domain'
import {
  bytesOf,
  type NewPetColumns,
  rejectionFor,
  WAITING_LIMITS,
  type WaitingLimits,
  WaitingQueue,
  type WaitingStatement,
} from '@pet-store/persistence-mikro-orm'
import { isInvalidValue } from '../database/unavailable.ts'

/** The number of rows of a group. */
const MAX_ROWS = 500

/** Inserts pets in one statement and returns the id of each, in their order, or changes nothing. */
type InsertRows = (rows: readonly NewPetColumns[]) => Promise<readonly PetId[]>

interface WaitingInsert extends WaitingStatement {
  readonly values: NewPetColumns
  readonly resolve: (id: PetId) => void
}

/**
 * Puts the inserts of one turn of the event loop into one statement: one round trip and one wait for the disk serve all
 * of them. If the server rejects one of the values, each insert runs by itself, so that an invalid one fails alone; after
 * any other error nobody knows what is stored, so nothing is repeated and all of them are rejected with it.
 */
export class GroupedWrites {
  readonly #onConnection: (work: (insert: InsertRows) => Promise<void>) => Promise<void>
  readonly #maxWaitMs: number
  readonly #queue: WaitingQueue<WaitingInsert>
  /** One group at a time: inserts that arrive meanwhile are the next one. Two would be smaller, and cost both sides more. */
  #sent: Promise<void> | undefined
  #isScheduled = false

  /**
   * `onConnection` calls its argument when there is a connection. Until then inserts wait here, so that the wait for a
   * connection is within their deadline.
   */
  constructor(
    onConnection: (work: (insert: InsertRows) => Promise<void>) => Promise<void>,
    limits: WaitingLimits = WAITING_LIMITS,
  ) {
    this.#onConnection = onConnection
    this.#maxWaitMs = limits.maxWaitMs
    this.#queue = new WaitingQueue(limits)
  }

  /** Resolves after the commit. An insert with invalid values fails alone. */
  add(values: NewPetColumns, cancellation?: Cancellation): Promise<PetId> {
    return new Promise((resolve, reject) => {
      this.#queue.add({ values, bytes: bytesOf(values), cancellation, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0 || this.#sent !== undefined) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#begin()
    })
  }

  #begin(): void {
    if (this.#sent !== undefined || this.#queue.length === 0) return
    this.#sent = this.#send().finally(() => {
      this.#sent = undefined
      this.#schedule()
    })
  }

  async #send(): Promise<void> {
    let group: readonly WaitingInsert[] = []
    try {
      await this.#onConnection(async (insert) => {
        group = this.#queue.take(MAX_ROWS)
        if (group.length > 0) await this.#insert(insert, group)
      })
    } catch (error) {
      // Without a connection none was taken: all of them wait for the same one.
      for (const { reject } of group.length > 0 ? group : this.#queue.take()) reject(error)
    }
  }

  async #insert(insert: InsertRows, group: readonly WaitingInsert[]): Promise<void> {
    try {
      const ids = await insert(group.map(({ values }) => values))
      if (ids.length !== group.length) {
        throw persistenceUnavailable({ outcome: 'unknown', cause: new Error('The server returned too few rows.') })
      }
      for (const [index, { resolve }] of group.entries()) resolve(ids[index] as PetId)
    } catch (error) {
      if (group.length === 1 || !isInvalidValue(error)) throw error
      await this.#insertEach(insert, group)
    }
  }

  async #insertEach(insert: InsertRows, group: readonly WaitingInsert[]): Promise<void> {
    const deadline = performance.now() + this.#maxWaitMs
    for (const one of group) {
      const reason = rejectionFor(one.cancellation, performance.now() >= deadline)
      if (reason === undefined) await this.#insert(insert, [one]).catch(one.reject)
      else one.reject(reason)
    }
  }
}
