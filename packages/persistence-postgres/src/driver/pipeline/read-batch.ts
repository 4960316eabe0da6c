import { persistenceUnavailable } from '@pet-store/domain'
import type { SqlValue, WaitingStatement } from '@pet-store/persistence-mikro-orm'
import type { Connection, FieldDef, Submittable } from 'pg'
import { serialize } from 'pg-protocol'
import { mayWorkOnAnother, sqlStateOf, unavailableOr } from '../../database/failures.ts'
import type { Row, StatementText } from '../pool-statements.ts'
import { type ReadRow, rowReader } from './results.ts'

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
 * The names of the statements that are prepared on a connection, with the function that reads their
 * rows; `undefined` while preparing a statement is not confirmed. Other reads do not use such a
 * statement, because they would fail too if preparing it fails.
 */
export type PreparedStatements = Map<string, ReadRow | undefined>

interface BatchEvents {
  /** Called with the reads that must be sent again, each alone. */
  readonly onEnd: (skipped: readonly WaitingRead[]) => void
  /** Called when the driver reports an error that does not come from the server. */
  readonly onLost: (error: unknown) => void
}

const EXECUTE = serialize.execute()
const SYNC = serialize.sync()

/**
 * Reads that are sent together with one `Sync`, as one query of the driver. The server returns
 * their results together. When a read fails, it skips the reads after it, which must be sent again.
 */
export class ReadBatch implements Submittable {
  readonly reads: readonly WaitingRead[]
  readonly sentAt = performance.now()
  readonly #isAlone: boolean
  readonly #prepared: PreparedStatements
  readonly #events: BatchEvents
  /** The reads of this batch that prepare their statement for later reads. */
  readonly #preparing: Read[] = []
  /** The number of complete results. */
  #complete = 0
  #error: unknown

  /**
   * A read that `isAlone` is sent again because another read of its batch failed. It uses no
   * prepared statement, and is not sent a third time.
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

  /** Does nothing: `onReady` of `receiveResults` is called instead, after an error too. */
  handleReadyForQuery(): void {}

  addRow(bytes: Buffer, start: number): void {
    const { readRow, rows } = this.#current()
    if (readRow === undefined) throw new Error('The server has sent a row without its columns.')
    rows.push(readRow(bytes, start))
  }

  completeRead(): void {
    this.#complete += 1
  }

  /** Whether every read has its result, or the batch has failed. */
  get isWhole(): boolean {
    return this.#error !== undefined || this.#complete === this.reads.length
  }

  get mayWorkOnAnotherConnection(): boolean {
    return this.#error !== undefined && mayWorkOnAnother(this.#error)
  }

  /**
   * Resolves each read. If one has failed, rejects it and gives the others to `onEnd`. If the
   * server reports an error after all results, when `Sync` commits the reads together, none of
   * several reads is rejected.
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
      // An earlier attempt that failed may have left a statement with this name.
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
