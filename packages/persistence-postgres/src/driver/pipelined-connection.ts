import { bytesOf, type SqlValue, type WaitingLimits, WaitingQueue } from '@pet-store/persistence-mikro-orm'
import pg, { type PoolConfig } from 'pg'
import { cannotConnect } from '../database/unavailable.ts'
import type { DriverStatement, Row } from './pool-statements.ts'
import { type PendingRead, PreparedStatements, ReadBatch } from './read-batch.ts'
import { receiveResults } from './results.ts'

/** The number of batches that are sent at the same time; later reads wait together for the next one. */
const MAX_BATCHES = 2

/** The number of reads of a batch. */
const MAX_READS = 100

const TICK_MS = 1_000

/** After this time a connection is replaced, so that after a switchover none stays with the old server. */
const MAX_LIFETIME_MS = 5 * 60_000

export interface PipelinedConnectionOptions {
  /** Called when a statement was lost with the connection, or the server has returned nothing for too long. */
  readonly onLost?: () => void
  readonly limits?: WaitingLimits
  readonly maxLifetimeMs?: number
}

/**
 * A connection for reads on which statements are sent without waiting for the results of those before them
 * (PostgreSQL's pipeline mode). Those of one turn of the event loop are one batch. Each statement stands for itself:
 * one that fails fails alone, unless the connection is lost. A slow one delays those of its batch and those behind it,
 * so none may be slow.
 *
 * Opened by the first statement, and again by the next one after it was lost or has reached its lifetime. The queue limits
 * how long a read waits before it is sent. When the server does not return a batch within `query_timeout`, the connection
 * is dropped. One timer checks that: the driver's, one for each batch, made a get 15% dearer.
 */
export class PipelinedConnection {
  readonly #config: PoolConfig
  readonly #onLost: () => void
  readonly #maxLifetimeMs: number
  readonly #clock: NodeJS.Timeout
  readonly #queue: WaitingQueue<PendingRead>
  /** Others of their batch have failed, so each is sent again by itself. */
  readonly #repeated: PendingRead[] = []
  /** In the order in which they were sent, which is that of their results. */
  readonly #batches: ReadBatch[] = []
  #client: pg.Client | undefined
  #isOpen = false
  #endsAt = 0
  #prepared = new PreparedStatements()
  #isScheduled = false
  #isClosed = false
  #onIdle: (() => void) | undefined

  constructor(
    { query_timeout = Number.POSITIVE_INFINITY, ...config }: PoolConfig,
    { onLost = () => {}, limits, maxLifetimeMs = MAX_LIFETIME_MS }: PipelinedConnectionOptions = {},
  ) {
    this.#config = { ...config, pipeline: true }
    this.#onLost = onLost
    this.#maxLifetimeMs = maxLifetimeMs
    this.#queue = new WaitingQueue(limits)
    this.#clock = setInterval(() => {
      const [first] = this.#batches
      if (first !== undefined && performance.now() > first.sentAt + query_timeout)
        this.#client?.connection.stream.destroy()
    }, TICK_MS).unref()
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether a statement waits for its result. */
  get isBusy(): boolean {
    return this.#batches.length > 0 || this.#hasReads
  }

  /** Returns the rows. Rejects with `persistence_unavailable` or the server's own error. */
  read(statement: DriverStatement, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    if (this.#isClosed) return Promise.reject(new Error('Cannot use a connection after calling end on it.'))
    return new Promise((resolve, reject) => {
      const bytes = bytesOf(values)
      this.#queue.add({ statement, values, bytes, resolve, reject, isAlone: false, readRow: undefined, rows: [] })
      this.#schedule()
    })
  }

  /** Drops the connection if no statement is running on it. */
  dropIdle(): void {
    if (this.#client !== undefined && !this.isBusy) this.#drop(this.#client)
  }

  /** Resolves when every statement has its result and the connection is closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.isBusy) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    }
    clearInterval(this.#clock)
    await this.#client?.end()
  }

  get #hasReads(): boolean {
    return this.#queue.length > 0 || this.#repeated.length > 0
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#hasReads || this.#batches.length >= MAX_BATCHES) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#sendBatches()
    })
  }

  #sendBatches(): void {
    if (this.#isOpen && performance.now() >= this.#endsAt) {
      // Its last results come first.
      if (this.#batches.length > 0) return
      void this.#client?.end()
      this.#client = undefined
      this.#isOpen = false
    }
    if (this.#client === undefined && this.#hasReads) void this.#open()
    while (this.#isOpen && this.#hasReads && this.#batches.length < MAX_BATCHES) this.#sendBatch()
    // Those that waited may all have been late.
    if (!this.isBusy) this.#onIdle?.()
  }

  #sendBatch(): void {
    const again = this.#repeated.shift()
    const reads = again === undefined ? this.#queue.take(MAX_READS) : [again]
    if (reads.length === 0) return
    const batch = new ReadBatch(reads, this.#prepared, (repeated, isLost) => {
      this.#batches.splice(this.#batches.indexOf(batch), 1)
      this.#repeated.push(...repeated)
      if (isLost) this.#onLost()
      this.#continue()
    })
    this.#batches.push(batch)
    this.#client?.query(batch)
  }

  #continue(): void {
    if (this.isBusy) this.#schedule()
    else this.#onIdle?.()
  }

  async #open(): Promise<void> {
    const client = new pg.Client(this.#config)
    this.#client = client
    client.on('error', () => this.#drop(client))
    client.on('end', () => this.#forget(client))
    try {
      await client.connect()
      receiveResults(client, {
        onRow: (bytes, start) => this.#batches[0]?.onRow(bytes, start),
        onComplete: () => this.#batches[0]?.onComplete(),
      })
      this.#isOpen = true
      this.#endsAt = performance.now() + this.#maxLifetimeMs
      this.#prepared = new PreparedStatements()
    } catch (error) {
      for (const { reject } of [...this.#repeated.splice(0), ...this.#queue.take()]) reject(cannotConnect(error))
      this.#drop(client)
      this.#forget(client)
    }
    this.#continue()
  }

  /** Ends the connection at once. The driver rejects what was sent; the rest is sent on another one. */
  #drop(client: pg.Client): void {
    if (this.#client === client) this.#isOpen = false
    client.connection.stream.destroy()
  }

  #forget(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#isOpen = false
    this.#schedule()
  }
}
