import type { SqlValue } from '@pet-store/persistence-mikro-orm'
import type { Connection, FieldDef, Submittable } from 'pg'
import { serialize } from 'pg-protocol'
import { isUsableAfter, unavailableOr } from '../database/unavailable.ts'
import type { DriverStatement, Row } from './pool-statements.ts'
import { type ReadRow, rowReader } from './row-reader.ts'
import type { ResultReceiver } from './wire.ts'

/** A read from its call to its result. */
export interface PendingRead {
  readonly statement: DriverStatement
  readonly values: readonly SqlValue[]
  readonly bytes: number
  readonly deadline: number
  readonly resolve: (rows: readonly Row[]) => void
  readonly reject: (error: unknown) => void
  /** Whether the caller has its result, or was told that it took too long. */
  isDone: boolean
  /** Whether another statement of its batch has failed: now it is sent by itself, and relies on nothing sent before. */
  isAlone: boolean
  readRow: ReadRow | undefined
  rows: Row[]
}

/** The statements that are prepared on a connection. */
export class PreparedStatements {
  readonly ready = new Map<string, ReadRow>()
  /** Sent, and not confirmed yet: if preparing one fails, others that relied on it would fail too. */
  readonly unconfirmed = new Set<string>()
}

const EXECUTE = serialize.execute()
const SYNC = serialize.sync()

/**
 * Reads that are sent together with one `Sync`, as one query of the driver. The server returns their results together;
 * when one fails, it skips those behind it.
 */
export class ReadBatch implements Submittable, ResultReceiver {
  readonly reads: readonly PendingRead[]
  /** Called at the end. The driver lets instrumentation replace it. */
  callback: (error?: unknown) => void
  readonly #prepared: PreparedStatements
  /** Those that prepare their statement for later ones. */
  readonly #preparing: PendingRead[] = []
  /** The number of results that are complete. */
  #complete = 0

  /** Reads that are not done at the end must be sent again: another one has failed. */
  constructor(reads: readonly PendingRead[], prepared: PreparedStatements, onEnd: () => void) {
    this.reads = reads
    this.#prepared = prepared
    this.callback = onEnd
  }

  /** What traces show of it. */
  get text(): string {
    return [...new Set(this.reads.map(({ statement }) => statement.text))].join('; ')
  }

  /** Called by the driver, as are the methods whose names begin with `handle`. */
  submit({ stream }: Connection): void {
    const messages: Uint8Array[] = []
    for (const read of this.reads) this.#addMessages(messages, read)
    messages.push(SYNC)
    stream.write(Buffer.concat(messages))
  }

  onRow(bytes: Buffer, start: number): void {
    const { readRow, rows } = this.reads[this.#complete] as PendingRead
    if (readRow !== undefined) rows.push(readRow(bytes, start))
  }

  onComplete(): void {
    this.#complete += 1
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    const read = this.reads[this.#complete] as PendingRead
    read.readRow = rowReader(fields)
  }

  handleReadyForQuery(): void {
    this.#endPreparing(true)
    for (const read of this.reads) {
      if (read.isDone) continue
      read.isDone = true
      read.resolve(read.rows)
    }
    this.callback()
  }

  handleError(error: unknown): void {
    this.#endPreparing(false)
    const failed = isUsableAfter(error) ? this.reads[this.#complete] : undefined
    for (const read of this.reads) {
      if (read.isDone) continue
      if (failed === undefined || read === failed) {
        read.isDone = true
        read.reject(unavailableOr(error))
      } else {
        read.isAlone = true
        read.rows = []
      }
    }
    this.callback(error)
  }

  #addMessages(messages: Uint8Array[], read: PendingRead): void {
    const { ready, unconfirmed } = this.#prepared
    const { text, name = '' } = read.statement
    const isReady = !read.isAlone && ready.has(name)
    const statement = isReady || (!read.isAlone && !unconfirmed.has(name)) ? name : ''
    if (isReady) {
      read.readRow = ready.get(name)
    } else {
      if (statement !== '') {
        unconfirmed.add(name)
        this.#preparing.push(read)
        // An attempt that failed may have left it there.
        messages.push(serialize.close({ type: 'S', name }))
      }
      messages.push(serialize.parse({ name: statement, text }), serialize.describe({ type: 'S', name: statement }))
    }
    messages.push(serialize.bind({ statement, values: [...read.values], valueMapper: toText }), EXECUTE)
  }

  #endPreparing(isConfirmed: boolean): void {
    for (const { statement, readRow } of this.#preparing) {
      const { name = '' } = statement
      this.#prepared.unconfirmed.delete(name)
      if (isConfirmed && readRow !== undefined) this.#prepared.ready.set(name, readRow)
    }
  }
}

function toText(value: SqlValue): string | null {
  return value === null ? null : String(value)
}
