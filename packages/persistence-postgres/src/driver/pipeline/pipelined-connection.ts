import { rejectionFor } from '@pet-store/persistence-mikro-orm'
import type { Client } from 'pg'
import { assertPrimary } from '../../database/checks/assert-primary.ts'
import { cannotConnect } from '../../database/failures.ts'
import type { DriverOptions } from '../../database/settings.ts'
import { type PreparedStatements, ReadBatch, type WaitingRead } from './read-batch.ts'
import { receiveResults } from './results.ts'

/** How long a server may take to close a connection. */
const CLOSE_TIMEOUT_MS = 1_000

export interface PipelinedConnectionOptions {
  readonly config: DriverOptions
  /** Whether it must lead to the primary; otherwise it cannot be opened. */
  readonly isToPrimary: boolean
  /** Called once, when the connection is lost, cannot be opened or is closed. */
  readonly onEnd: () => void
}

/**
 * One connection on which reads are sent without waiting for the results of earlier ones
 * (PostgreSQL's pipeline mode). It is opened once, and not again after it has ended.
 *
 * Every read that is sent belongs to one of `#batches` until it is settled. Only `#endBatch` and
 * `#end` remove batches: `ReadyForQuery` ends the first one, whatever came before it, and the end
 * of the connection ends all.
 */
export class PipelinedConnection {
  readonly #client: Client
  readonly #isToPrimary: boolean
  readonly #onEnd: () => void
  readonly #prepared: PreparedStatements = new Map()
  /** In the order in which they were sent; their results arrive in the same order. */
  readonly #batches: ReadBatch[] = []
  readonly #sending = new Set<Promise<void>>()
  #isClosing = false
  #hasEnded = false

  constructor({ config, isToPrimary, onEnd }: PipelinedConnectionOptions) {
    this.#client = new config.Client({ ...config, pipeline: true })
    this.#isToPrimary = isToPrimary
    this.#onEnd = onEnd
  }

  /** The shortest time from sending a batch to its results: about one round trip to the server. */
  roundTripMs = Number.POSITIVE_INFINITY

  /** Whether a read has failed for a reason for which it may succeed on a new connection. */
  mustBeReplaced = false

  /** The number of batches whose results have not all arrived. */
  get batches(): number {
    return this.#batches.length
  }

  get isBusy(): boolean {
    return this.#sending.size > 0
  }

  async open(): Promise<void> {
    const client = this.#client
    client.on('error', (error) => this.#end(error))
    client.on('end', () => this.#end(new Error('Connection terminated unexpectedly')))
    try {
      await client.connect()
      if (this.#isToPrimary) await assertPrimary(client)
      receiveResults(client, {
        onRow: (bytes, start) => this.#first().addRow(bytes, start),
        onComplete: () => this.#first().completeRead(),
        onReady: () => this.#endBatch(),
      })
    } catch (error) {
      this.#end(error)
      throw cannotConnect(error)
    }
  }

  /** Sends reads together. Resolves when each of them has its result or was rejected. */
  async send(reads: readonly WaitingRead[]): Promise<void> {
    const sending = this.#sendBatch(reads, false).then((skipped) => this.#sendAlone(skipped))
    this.#sending.add(sending)
    try {
      await sending
    } finally {
      this.#sending.delete(sending)
    }
  }

  /**
   * Rejects the reads whose deadline is over; their results are ignored. Ends the connection if the
   * server has returned nothing for longer than `timeoutMs`.
   */
  rejectLate(timeoutMs: number): void {
    const [first] = this.#batches
    if (first !== undefined && performance.now() > first.sentAt + timeoutMs)
      this.#end(new Error('The server has returned nothing for too long.'))
    for (const { reads } of this.#batches) {
      for (const read of reads) {
        const reason = rejectionFor(read)
        if (reason !== undefined) read.reject(reason)
      }
    }
  }

  /** Ends the connection at once. */
  drop(): void {
    this.#end(new Error('The connection was dropped.'))
  }

  /** Ends the connection when every read that it was given has its result. */
  async close(): Promise<void> {
    while (this.isBusy) await Promise.allSettled(this.#sending)
    this.#isClosing = true
    const timer = setTimeout(() => this.drop(), CLOSE_TIMEOUT_MS).unref()
    await this.#client.end()
    clearTimeout(timer)
  }

  async #sendAlone(reads: readonly WaitingRead[]): Promise<void> {
    const inTime = reads.filter((read) => {
      const reason = rejectionFor(read)
      if (reason !== undefined) read.reject(reason)
      return reason === undefined
    })
    await Promise.all(inTime.map((read) => this.#sendBatch([read], true)))
  }

  /**
   * Sends a batch. Resolves when it has ended, to the reads that must be sent again, each alone.
   */
  #sendBatch(reads: readonly WaitingRead[], isAlone: boolean): Promise<readonly WaitingRead[]> {
    return new Promise((resolve) => {
      const batch = new ReadBatch(reads, isAlone, this.#prepared, {
        onEnd: resolve,
        onLost: (error) => this.#end(error),
      })
      if (this.#hasEnded || this.#isClosing) {
        batch.reject(new Error('The connection has ended before this statement was sent.'))
        return
      }
      this.#client.query(batch)
      this.#batches.push(batch)
    })
  }

  #first(): ReadBatch {
    const [first] = this.#batches
    if (first === undefined) throw new Error('The server has sent a result that nobody waits for.')
    return first
  }

  #endBatch(): void {
    const batch = this.#first()
    if (!batch.isWhole) throw new Error('The server has sent too few results.')
    this.#batches.shift()
    this.roundTripMs = Math.min(this.roundTripMs, performance.now() - batch.sentAt)
    if (batch.mayWorkOnAnotherConnection) this.mustBeReplaced = true
    batch.settle()
  }

  #end(error: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#client.connection.stream.destroy()
    for (const batch of this.#batches.splice(0)) batch.reject(error)
    this.#onEnd()
  }
}
