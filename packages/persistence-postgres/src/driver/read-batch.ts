import type { SqlValue } from '@pet-store/persistence-mikro-orm'
import type { Connection, FieldDef, Submittable } from 'pg'
import { serialize } from 'pg-protocol'
import type { DriverStatement, Row } from './pool-statements.ts'
import { type ReadRow, rowReader } from './row-reader.ts'
import type { ResultReceiver } from './wire.ts'

/** A statement that only reads, and its values. */
export interface Read {
  readonly statement: DriverStatement
  readonly values: readonly SqlValue[]
}

const EXECUTE = serialize.execute()
const SYNC = serialize.sync()

/**
 * Reads that are sent together with one `Sync`, as one query of the driver. The server returns their results together;
 * when one fails, it skips those behind it.
 */
export class ReadBatch implements Submittable, ResultReceiver {
  /** The rows of each read. */
  readonly rows: readonly Row[][]
  /** Called at the end. The driver replaces it, as does instrumentation. */
  callback: (error?: unknown) => void
  readonly #reads: readonly Read[]
  readonly #prepared: Map<string, ReadRow>
  /** How to read the rows of statements that this batch prepares. The server describes each before its first row. */
  readonly #preparing = new Map<string, ReadRow | undefined>()
  /** The number of results that are complete. */
  #complete = 0
  /** For the rows of the present result. */
  #readRow: ReadRow | undefined

  /** `prepared` are the statements that are prepared on the connection; those of this batch are added. */
  constructor(reads: readonly Read[], prepared: Map<string, ReadRow>, onEnd: (error?: unknown) => void) {
    this.rows = reads.map(() => [])
    this.callback = onEnd
    this.#reads = reads
    this.#prepared = prepared
  }

  /** What traces show of it. */
  get text(): string {
    return [...new Set(this.#reads.map(({ statement }) => statement.text))].join('; ')
  }

  /** Called by the driver, as are the methods whose names begin with `handle`. */
  submit({ stream }: Connection): void {
    const messages: Uint8Array[] = []
    for (const read of this.#reads) this.#addMessages(messages, read)
    messages.push(SYNC)
    stream.write(Buffer.concat(messages))
  }

  onRow(bytes: Buffer, start: number): void {
    this.#readRow ??= this.#prepared.get(this.#name) ?? this.#preparing.get(this.#name)
    if (this.#readRow !== undefined) this.rows[this.#complete]?.push(this.#readRow(bytes, start))
  }

  onComplete(): void {
    this.#complete += 1
    this.#readRow = undefined
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#preparing.set(this.#name, rowReader(fields))
  }

  handleReadyForQuery(): void {
    for (const [name, readRow] of this.#preparing) {
      if (name !== '' && readRow !== undefined) this.#prepared.set(name, readRow)
    }
    this.callback()
  }

  handleError(error: unknown): void {
    this.callback(error)
  }

  get #name(): string {
    return this.#reads[this.#complete]?.statement.name ?? ''
  }

  #addMessages(messages: Uint8Array[], { statement: { text, name = '' }, values }: Read): void {
    if (name === '' || !(this.#prepared.has(name) || this.#preparing.has(name))) {
      // A batch that failed may have left it there.
      if (name !== '') messages.push(serialize.close({ type: 'S', name }))
      messages.push(serialize.parse({ name, text }), serialize.describe({ type: 'S', name }))
      this.#preparing.set(name, undefined)
    }
    messages.push(serialize.bind({ statement: name, values: [...values], valueMapper: toText }), EXECUTE)
  }
}

function toText(value: SqlValue): string | null {
  return value === null ? null : String(value)
}
