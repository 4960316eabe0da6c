import {
  GroupedStatements,
  type GroupOptions,
  rejectionFor,
  type SqlValue,
} from '@pet-store/persistence-mikro-orm'
import pg, { type PoolConfig } from 'pg'
import { cannotConnect } from '../database/failures.ts'
import type { DriverStatement, Row } from './pool-statements.ts'
import { type PendingRead, type PreparedStatements, type Read, ReadBatch } from './read-batch.ts'
import { receiveResults } from './results.ts'

/**
 * The number of groups that are sent at the same time; later reads wait together for the next one.
 */
const MAX_GROUPS = 2

/** The number of reads of a group. */
const MAX_READS = 100

const TICK_MS = 250

/**
 * After this time a connection is replaced, so that after a switchover none stays with the old
 * server.
 */
const MAX_LIFETIME_MS = 5 * 60_000

export interface PipelinedConnectionOptions extends GroupOptions {
  /**
   * Called when a statement was lost with the connection, or the server has returned nothing for
   * too long.
   */
  readonly onLost?: () => void
  readonly maxLifetimeMs?: number
}

/** One client of the driver. */
interface OpenClient {
  readonly client: pg.Client
  readonly endsAt: number
  readonly prepared: PreparedStatements
  /** In the order in which they were sent, which is that of their results. */
  readonly batches: ReadBatch[]
}

/**
 * A connection for reads on which statements are sent without waiting for the results of those
 * before them (PostgreSQL's pipeline mode). Those of one turn of the event loop are one batch. Each
 * statement stands for itself: one that fails fails alone, unless the connection is lost. A slow
 * one delays those of its batch and those behind it, so none may be slow.
 *
 * Opened by the first statement, and again by the next one after it was lost or has reached its
 * lifetime. A read that has no result at its deadline is rejected, sent or not. When the server
 * does not return a batch within `query_timeout`, the connection is dropped. One timer checks both:
 * the driver's, one for each batch, made a get 15% dearer.
 */
export class PipelinedConnection {
  readonly #config: PoolConfig
  readonly #onLost: () => void
  readonly #maxLifetimeMs: number
  readonly #clock: NodeJS.Timeout
  readonly #reads: GroupedStatements<Read, readonly Row[]>
  /** With those that were replaced and have not returned every result. */
  readonly #clients = new Set<OpenClient>()
  #current: OpenClient | undefined
  #opening: Promise<OpenClient> | undefined
  #isClosed = false

  constructor(
    { query_timeout = Number.POSITIVE_INFINITY, ...config }: PoolConfig,
    {
      onLost = () => {},
      maxLifetimeMs = MAX_LIFETIME_MS,
      ...limits
    }: PipelinedConnectionOptions = {},
  ) {
    this.#config = { ...config, pipeline: true }
    this.#onLost = onLost
    this.#maxLifetimeMs = maxLifetimeMs
    const options = { maxGroupSize: MAX_READS, maxGroups: MAX_GROUPS, ...limits }
    this.#reads = new GroupedStatements((take) => this.#sendGroup(take), options)
    this.#clock = setInterval(() => {
      for (const open of this.#clients) this.#endLate(open, query_timeout)
    }, TICK_MS).unref()
  }

  get isOpen(): boolean {
    return this.#current !== undefined
  }

  /** Whether a statement waits for its result. */
  get isBusy(): boolean {
    return this.#reads.isBusy
  }

  /** Returns the rows. Rejects with `persistence_unavailable` or the server's own error. */
  read(statement: DriverStatement, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    if (this.#isClosed)
      return Promise.reject(new Error('Cannot use a connection after calling end on it.'))
    return this.#reads.add({ statement, values, readRow: undefined, rows: [] }, values)
  }

  /** Drops the connection if no statement is running on it. */
  dropIdle(): void {
    if (this.#current !== undefined && !this.isBusy) this.#drop(this.#current)
  }

  /** Resolves when every statement has its result and the connection is closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#reads.finish()
    clearInterval(this.#clock)
    await this.#current?.client.end()
  }

  async #sendGroup(take: () => readonly PendingRead[]): Promise<void> {
    const open = await this.#connected()
    const reads = take()
    if (reads.length === 0) return
    const repeated = await this.#send(open, reads, false)
    await Promise.all(repeated.map((read) => this.#send(open, [read], true)))
  }

  /** Resolves, when the reads have their results, to those that must be sent again alone. */
  #send(
    open: OpenClient,
    reads: readonly PendingRead[],
    isAlone: boolean,
  ): Promise<readonly PendingRead[]> {
    return new Promise((resolve) => {
      const batch = new ReadBatch(reads, open.prepared, isAlone, (repeated, isLost) => {
        open.batches.splice(open.batches.indexOf(batch), 1)
        resolve(repeated)
        if (isLost) this.#onLost()
      })
      open.batches.push(batch)
      open.client.query(batch)
    })
  }

  #connected(): Promise<OpenClient> {
    if (this.#current !== undefined && performance.now() >= this.#current.endsAt) {
      // The driver waits for the results of what was sent.
      void this.#current.client.end()
      this.#forget()
    }
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<OpenClient> {
    const client = new pg.Client(this.#config)
    const batches: ReadBatch[] = []
    const prepared: PreparedStatements = new Map()
    const open = { client, batches, prepared, endsAt: performance.now() + this.#maxLifetimeMs }
    client.on('error', () => this.#drop(open))
    client.on('end', () => this.#drop(open))
    try {
      await client.connect()
      receiveResults(client, {
        onRow: (bytes, start) => batches[0]?.onRow(bytes, start),
        onComplete: () => batches[0]?.onComplete(),
      })
    } catch (error) {
      this.#opening = undefined
      this.#drop(open)
      throw cannotConnect(error)
    }
    this.#clients.add(open)
    this.#current = open
    return open
  }

  /**
   * Ends the connection at once. The driver rejects what was sent; the rest is sent on another one.
   */
  #drop(open: OpenClient): void {
    if (this.#current === open) this.#forget()
    this.#clients.delete(open)
    open.client.connection.stream.destroy()
  }

  #forget(): void {
    this.#current = undefined
    this.#opening = undefined
  }

  #endLate(open: OpenClient, timeoutMs: number): void {
    const [first] = open.batches
    if (first !== undefined && performance.now() > first.sentAt + timeoutMs) this.#drop(open)
    for (const { reads } of open.batches) {
      for (const read of reads) {
        const reason = rejectionFor(read)
        if (reason !== undefined) read.reject(reason)
      }
    }
  }
}
