import { persistenceUnavailable } from '@pet-store/domain'
import {
  rejectionFor,
  type SqlValue,
  type WaitingStatement,
} from '@pet-store/persistence-mikro-orm'
import pg, { type Connection, type FieldDef, type PoolConfig, type Submittable } from 'pg'
import { serialize } from 'pg-protocol'
import { cannotConnect, sqlStateOf, unavailableOr } from '../../database/failures.ts'
import type { Row, StatementText } from '../pool-statements.ts'
import { type ReadRow, receiveResults, rowReader } from './results.ts'

/** How long a server may take to close a connection. */
const CLOSE_TIMEOUT_MS = 1_000

/** A read from its call to its result. */
export type WaitingRead = WaitingStatement<Read, readonly Row[]>

/** A statement with its values, and what has arrived of its result. */
export interface Read {
  readonly statement: StatementText
  readonly values: readonly SqlValue[]
  readRow: ReadRow | undefined
  rows: Row[]
}

/**
 * One connection on which reads are sent without waiting for the results of those before them
 * (PostgreSQL's pipeline mode). Opened once; when it has ended it stays so.
 *
 * It owns every read that it is given: each is in one of `#batches` until it is settled, and
 * `#endBatch` and `#end` are the only ones that take a batch out. `ReadyForQuery` ends the first
 * batch, whatever came before it; the end of the connection ends all.
 */
export class PipelinedConnection {
  readonly #client: pg.Client
  readonly #onEnd: () => void
  readonly #prepared: PreparedStatements = new Map()
  /** In the order in which they were sent, which is that of their results. */
  readonly #batches: ReadBatch[] = []
  readonly #sending = new Set<Promise<void>>()
  #isClosing = false
  #hasEnded = false

  /** `onEnd` is called once, when the connection is lost, cannot be opened or is closed. */
  constructor(config: PoolConfig, onEnd: () => void) {
    this.#client = new pg.Client({ ...config, pipeline: true })
    this.#onEnd = onEnd
  }

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

  /** Sends reads together. Resolves when each has its result or was rejected. */
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
   * Rejects the reads whose deadline is over; their results are ignored. If the server has returned
   * nothing for longer than `timeoutMs`, the connection is lost.
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

  /** Resolves when the batch has ended, to the reads that must be sent again, each alone. */
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

/**
 * The statements that are prepared on a connection, and how their rows are read; `undefined` for
 * one that is sent and not confirmed yet: if preparing it fails, others that relied on it would
 * fail too.
 */
type PreparedStatements = Map<string, ReadRow | undefined>

interface BatchEvents {
  /** Told of the reads that must be sent again, each alone. */
  readonly onEnd: (skipped: readonly WaitingRead[]) => void
  /** The driver has reported an error that is not of the server. */
  readonly onLost: (error: unknown) => void
}

const EXECUTE = serialize.execute()
const SYNC = serialize.sync()

/**
 * Reads that are sent together with one `Sync`, as one query of the driver. The server returns
 * their results together; when one fails, it skips those behind it, which must be sent again.
 */
export class ReadBatch implements Submittable {
  readonly reads: readonly WaitingRead[]
  readonly sentAt = performance.now()
  readonly #isAlone: boolean
  readonly #prepared: PreparedStatements
  readonly #events: BatchEvents
  /** Those that prepare their statement for later ones. */
  readonly #preparing: Read[] = []
  /** The number of results that are complete. */
  #complete = 0
  #error: unknown

  /**
   * A read that is alone, because another one of its batch has failed, relies on nothing that was
   * sent before, and is never sent again.
   */
  constructor(
    reads: readonly WaitingRead[],
    isAlone: boolean,
    prepared: PreparedStatements,
    events: BatchEvents,
  ) {
    this.reads = reads
    this.#isAlone = isAlone
    this.#prepared = prepared
    this.#events = events
  }

  /** Called by the driver, as are the methods whose names begin with `handle`. */
  submit({ stream }: Connection): void {
    const messages: Uint8Array[] = []
    for (const { work } of this.reads) this.#addMessages(messages, work)
    messages.push(SYNC)
    stream.write(Buffer.concat(messages))
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#current().readRow = rowReader(fields)
  }

  handleError(error: unknown): void {
    this.#error ??= error
    if (sqlStateOf(error) === undefined) this.#events.onLost(error)
  }

  /** See `onReady`, which comes after an error too. */
  handleReadyForQuery(): void {}

  addRow(bytes: Buffer, start: number): void {
    const { readRow, rows } = this.#current()
    if (readRow === undefined) throw new Error('The server has sent a row without its columns.')
    rows.push(readRow(bytes, start))
  }

  completeRead(): void {
    this.#complete += 1
  }

  /** Whether there is a result for each read, or an error instead. */
  get isWhole(): boolean {
    return this.#error !== undefined || this.#complete === this.reads.length
  }

  /**
   * Resolves each read, or rejects the one that has failed. Of several reads none has, if the
   * server reports the error at the end: `Sync` commits them together.
   */
  settle(): void {
    this.#endPreparing(this.#error === undefined)
    if (this.#error === undefined) {
      for (const { resolve, work } of this.reads) resolve(work.rows)
      this.#events.onEnd([])
      return
    }
    const failed = this.#isAlone ? this.reads[0] : this.reads[this.#complete]
    failed?.reject(unavailableOr(this.#error))
    const skipped = this.reads.filter((read) => read !== failed)
    for (const { work } of skipped) work.rows = []
    this.#events.onEnd(skipped)
  }

  /** Rejects each read, because the connection is lost. */
  reject(error: unknown): void {
    const cause = this.#error ?? error
    for (const { reject } of this.reads) reject(persistenceUnavailable({ cause }))
    this.#events.onEnd([])
  }

  #current(): Read {
    const current = this.reads[this.#complete]
    if (current === undefined) throw new Error('The server has sent too many results.')
    return current.work
  }

  #addMessages(messages: Uint8Array[], read: Read): void {
    const { text, name = '' } = read.statement
    const prepares = !this.#isAlone && name !== '' && !this.#prepared.has(name)
    read.readRow = this.#isAlone ? undefined : this.#prepared.get(name)
    const statement = prepares || read.readRow !== undefined ? name : ''
    if (prepares) {
      this.#prepared.set(name, undefined)
      this.#preparing.push(read)
      // An attempt that failed may have left it there.
      messages.push(serialize.close({ type: 'S', name }))
    }
    if (read.readRow === undefined) {
      messages.push(
        serialize.parse({ name: statement, text }),
        serialize.describe({ type: 'S', name: statement }),
      )
    }
    messages.push(
      serialize.bind({ statement, values: [...read.values], valueMapper: toText }),
      EXECUTE,
    )
  }

  #endPreparing(isConfirmed: boolean): void {
    for (const { statement, readRow } of this.#preparing) {
      const { name = '' } = statement
      if (isConfirmed && readRow !== undefined) this.#prepared.set(name, readRow)
      else this.#prepared.delete(name)
    }
  }
}

function toText(value: SqlValue): string | null {
  return value === null ? null : String(value)
}
