import { AsyncResource } from 'node:async_hooks'
import pg, { type PoolConfig } from 'pg'
import { cannotConnect } from '../unavailable.ts'
import { type PendingRead, PreparedStatements, ReadBatch } from './read-batch.ts'
import { receiveResults } from './row-reader.ts'
import type { DriverStatement } from './statement-runner.ts'
import { bytesOf, WAITING_LIMITS, type WaitingLimits, WaitingStatements, waitedTooLong } from './waiting-statements.ts'

const TICK_MS = 1_000

/** After this time a connection is replaced, so that after a switchover none stays with the old server. */
const MAX_LIFETIME_MS = 5 * 60_000

/** The number of batches that are sent at the same time; later reads wait together for the next one. */
const MAX_BATCHES = 2

/** Nothing has to be told when it is collected. */
const CONTEXT_OPTIONS = { requireManualDestroy: true }

/** The number of reads of a batch. */
const MAX_READS = 100

export interface PipelinedConnectionOptions {
  /** Called when the server has returned nothing for too long. */
  readonly onUnresponsive?: () => void
  readonly limits?: WaitingLimits
  readonly maxLifetimeMs?: number
}

/**
 * A connection for reads on which statements are sent without waiting for the results of those before them
 * (PostgreSQL's pipeline mode). Those of one turn of the event loop are one batch. Each statement stands for itself:
 * one that fails fails alone, unless the connection is lost. A slow one delays those of its batch and those behind it,
 * so none may be slow.
 *
 * Opened by the first statement, and again by the next one after it was lost or has reached its lifetime. A read that
 * waits longer than the limit is rejected; the connection is dropped when the server returns nothing for longer than
 * `query_timeout`. One timer checks both for all statements.
 */
export class PipelinedConnection {
  readonly #config: PoolConfig
  readonly #options: SessionOptions
  readonly #maxWaitMs: number
  readonly #waiting: WaitingStatements
  readonly #retired = new Set<Session>()
  #session: Session | undefined
  #opening: Promise<Session> | undefined
  #isClosed = false

  constructor(
    { query_timeout = Number.POSITIVE_INFINITY, ...config }: PoolConfig,
    {
      onUnresponsive = () => {},
      limits = WAITING_LIMITS,
      maxLifetimeMs = MAX_LIFETIME_MS,
    }: PipelinedConnectionOptions = {},
  ) {
    const waiting = new WaitingStatements(limits)
    this.#config = { ...config, pipeline: true }
    this.#maxWaitMs = limits.maxWaitMs
    this.#waiting = waiting
    this.#options = {
      maxLifetimeMs,
      unresponsiveMs: query_timeout,
      onUnresponsive,
      onOld: (session) => this.#retire(session),
      free: (read) => waiting.remove(read.bytes),
    }
  }

  get isOpen(): boolean {
    return this.#session !== undefined
  }

  /** Whether a statement waits for its result. */
  get isBusy(): boolean {
    return this.#session?.isBusy === true
  }

  /** Returns the rows. Rejects with `persistence_unavailable` or the server's own error. */
  query(statement: DriverStatement, values: readonly unknown[] = []): Promise<unknown[]> {
    if (this.#isClosed) return Promise.reject(new Error('Cannot use a connection after calling end on it.'))
    const bytes = bytesOf(values)
    const reason = this.#waiting.add(bytes)
    if (reason !== undefined) return Promise.reject(reason)
    return new Promise((resolve, reject) => {
      const read: PendingRead = {
        statement,
        values,
        bytes,
        deadline: performance.now() + this.#maxWaitMs,
        resolve,
        reject,
        isDone: false,
        isAlone: false,
        readRow: undefined,
        rows: [],
      }
      if (this.#session !== undefined) {
        this.#session.send(read)
        return
      }
      this.#opening ??= this.#open()
      this.#opening.then(
        (session) => session.send(read),
        (error: unknown) => {
          this.#options.free(read)
          reject(cannotConnect(error))
        },
      )
    })
  }

  /** Drops the connection if no statement is running on it. */
  dropIdle(): void {
    if (!this.isBusy) this.#session?.drop()
  }

  /** Resolves when every statement has its result and the connection is closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    const session = this.#session ?? (await this.#opening?.catch(() => undefined))
    await Promise.all([session?.end(), ...[...this.#retired].map((retired) => retired.end())])
  }

  async #open(): Promise<Session> {
    const client = new pg.Client(this.#config)
    const session = new Session(client, this.#options)
    client.on('error', () => session.drop())
    client.on('end', () => {
      session.stop()
      this.#retired.delete(session)
      if (this.#session === session) this.#session = undefined
    })
    try {
      await client.connect()
      session.start()
      this.#session = session
      return session
    } catch (error) {
      session.drop()
      throw error
    } finally {
      this.#opening = undefined
    }
  }

  /** The next statement opens another connection; this one ends after its last result. */
  #retire(session: Session): void {
    if (this.#session !== session) return
    this.#session = undefined
    this.#retired.add(session)
    void session.end()
  }
}

interface SessionOptions {
  readonly maxLifetimeMs: number
  readonly unresponsiveMs: number
  readonly onUnresponsive: () => void
  readonly onOld: (session: Session) => void
  /** Called for each read that does not wait any more. */
  readonly free: (read: PendingRead) => void
}

/** One client of the driver, from its opening to its end. */
class Session {
  readonly #client: pg.Client
  readonly #options: SessionOptions
  readonly #prepared = new PreparedStatements()
  readonly #clock: NodeJS.Timeout
  /** Not sent yet. */
  #queue: PendingRead[] = []
  /** In the order in which they were sent, which is that of their results. */
  readonly #batches: ReadBatch[] = []
  #isScheduled = false
  /** Of the first statement of the queue: a batch belongs to its trace. */
  #context: AsyncResource | undefined
  #hasResults = false
  #onIdle: (() => void) | undefined

  constructor(client: pg.Client, options: SessionOptions) {
    this.#client = client
    this.#options = options
    const end = performance.now() + options.maxLifetimeMs
    let waitedMs = 0
    this.#clock = setInterval(() => {
      waitedMs = this.isBusy && !this.#hasResults ? waitedMs + TICK_MS : 0
      this.#hasResults = false
      this.#rejectLate()
      if (performance.now() >= end) options.onOld(this)
      if (waitedMs <= options.unresponsiveMs) return
      this.drop()
      options.onUnresponsive()
    }, TICK_MS).unref()
  }

  get isBusy(): boolean {
    return this.#batches.length > 0 || this.#queue.length > 0
  }

  /** Once the client is connected. */
  start(): void {
    receiveResults(this.#client, {
      onRow: (bytes, start) => this.#batches[0]?.onRow(bytes, start),
      onComplete: () => {
        this.#hasResults = true
        this.#batches[0]?.onComplete()
      },
    })
  }

  send(read: PendingRead): void {
    if (this.#queue.length === 0) this.#context = new AsyncResource('PipelinedRead', CONTEXT_OPTIONS)
    this.#queue.push(read)
    this.#schedule()
  }

  /** Ends the connection at once. What was not sent is rejected here; the driver rejects the rest. */
  drop(): void {
    this.stop()
    this.#client.connection.stream.destroy()
  }

  stop(): void {
    clearInterval(this.#clock)
    for (const read of this.#queue.splice(0)) this.#reject(read, cannotConnect(new Error('The connection was lost.')))
    this.#onIdle?.()
  }

  /** Resolves when every statement has its result and the connection is closed. */
  async end(): Promise<void> {
    if (this.isBusy) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    }
    await this.#client.end()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0 || this.#batches.length >= MAX_BATCHES) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      while (this.#queue.length > 0 && this.#batches.length < MAX_BATCHES) this.#sendBatch()
    })
  }

  #sendBatch(): void {
    const reads = this.#queue.splice(0, this.#queue[0]?.isAlone ? 1 : MAX_READS)
    const batch = new ReadBatch(reads, this.#prepared, () => this.#endBatch(batch))
    this.#batches.push(batch)
    this.#context?.runInAsyncScope(() => this.#client.query(batch))
  }

  #endBatch(batch: ReadBatch): void {
    this.#hasResults = true
    this.#batches.splice(this.#batches.indexOf(batch), 1)
    for (const read of batch.reads) if (read.isDone) this.#options.free(read)
    const repeated = batch.reads.filter(({ isDone }) => !isDone)
    if (repeated.length > 0) this.#queue.unshift(...repeated)
    if (this.isBusy) this.#schedule()
    else this.#onIdle?.()
  }

  #rejectLate(): void {
    const now = performance.now()
    const isLate = ({ isDone, deadline }: PendingRead) => !isDone && deadline <= now
    const late = this.#queue.filter(isLate)
    if (late.length > 0) this.#queue = this.#queue.filter((read) => !isLate(read))
    for (const read of late) this.#reject(read, waitedTooLong())
    for (const { reads } of this.#batches) {
      // They stay counted until the server has returned their results.
      for (const read of reads.filter(isLate)) {
        read.isDone = true
        read.reject(waitedTooLong())
      }
    }
  }

  /** Rejects a read that was not sent. */
  #reject(read: PendingRead, reason: unknown): void {
    this.#options.free(read)
    read.isDone = true
    read.reject(reason)
  }
}
