import type { SqlValue, WaitingStatement } from '@pet-store/persistence-mikro-orm'
import type { Connection, FieldDef, Submittable } from 'pg'
import { serialize } from 'pg-protocol'
import { isUsableAfter, unavailableOr } from '../database/failures.ts'
import type { DriverStatement, Row } from './pool-statements.ts'
import { type ReadRow, type ResultReceiver, rowReader } from './results.ts'

/** A read from its call to its result. */
export type PendingRead = WaitingStatement<Read, readonly Row[]>

/** A statement with its values, and what has arrived of its result. */
export interface Read {
  readonly statement: DriverStatement
  readonly values: readonly SqlValue[]
  readRow: ReadRow | undefined
  rows: Row[]
}

/**
 * The statements that are prepared on a connection, and how their rows are read; `undefined` for
 * one that is sent and not confirmed yet: if preparing it fails, others that relied on it would
 * fail too.
 */
export type PreparedStatements = Map<string, ReadRow | undefined>

const EXECUTE = serialize.execute()
const SYNC = serialize.sync()

/**
 * Reads that are sent together with one `Sync`, as one query of the driver. The server returns
 * their results together; when one fails, it skips those behind it.
 */
export class ReadBatch implements Submittable, ResultReceiver {
  readonly reads: readonly PendingRead[]
  readonly sentAt = performance.now()
  readonly #prepared: PreparedStatements
  readonly #isAlone: boolean
  readonly #onEnd: (repeated: readonly PendingRead[], isLost: boolean) => void
  /** Those that prepare their statement for later ones. */
  readonly #preparing: Read[] = []
  /** The number of results that are complete. */
  #complete = 0

  /**
   * A read that is alone, because another one of its batch has failed, relies on nothing that was
   * sent before. `onEnd` is told which reads must be sent again alone, and whether the connection
   * is lost.
   */
  constructor(
    reads: readonly PendingRead[],
    prepared: PreparedStatements,
    isAlone: boolean,
    onEnd: (repeated: readonly PendingRead[], isLost: boolean) => void,
  ) {
    this.reads = reads
    this.#prepared = prepared
    this.#isAlone = isAlone
    this.#onEnd = onEnd
  }

  /** Called by the driver, as are the methods whose names begin with `handle`. */
  submit({ stream }: Connection): void {
    const messages: Uint8Array[] = []
    for (const { work } of this.reads) this.#addMessages(messages, work)
    messages.push(SYNC)
    stream.write(Buffer.concat(messages))
  }

  onRow(bytes: Buffer, start: number): void {
    const { readRow, rows } = this.#readAt(this.#complete)
    if (readRow !== undefined) rows.push(readRow(bytes, start))
  }

  onComplete(): void {
    this.#complete += 1
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#readAt(this.#complete).readRow = rowReader(fields)
  }

  handleReadyForQuery(): void {
    this.#endPreparing(true)
    for (const { resolve, work } of this.reads) resolve(work.rows)
    this.#onEnd([], false)
  }

  handleError(error: unknown): void {
    this.#endPreparing(false)
    const isLost = !isUsableAfter(error)
    const failed = isLost ? this.reads : this.reads.slice(this.#complete, this.#complete + 1)
    for (const { reject } of failed) reject(unavailableOr(error))
    const repeated = this.reads.filter((read) => !failed.includes(read))
    for (const { work } of repeated) work.rows = []
    this.#onEnd(repeated, isLost)
  }

  #readAt(index: number): Read {
    return (this.reads[index] as PendingRead).work
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
