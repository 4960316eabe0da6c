import { AsyncResource } from 'node:async_hooks'
import { waitedTooLong } from '@pet-store/persistence-mikro-orm'
import type pg from 'pg'
import { cannotConnect } from '../database/unavailable.ts'
import { type PendingRead, PreparedStatements, ReadBatch } from './read-batch.ts'
import { receiveResults } from './wire.ts'

const TICK_MS = 1_000

/** The number of batches that are sent at the same time; later reads wait together for the next one. */
const MAX_BATCHES = 2

/** The number of reads of a batch. */
const MAX_READS = 100

/** No destroy event is needed when it is collected. */
const CONTEXT_OPTIONS = { requireManualDestroy: true }

export interface SessionOptions {
  readonly maxLifetimeMs: number
  readonly unresponsiveMs: number
  readonly onUnresponsive: () => void
  readonly onOld: (session: ReadSession) => void
  /** Called for each read that no longer waits. */
  readonly free: (read: PendingRead) => void
}

/** One client of the driver, from its opening to its end. */
export class ReadSession {
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
