import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { SqlValue, TableColumns } from '@pet-store/persistence-mikro-orm'
import type { ClientBase, Connection, Submittable } from 'pg'
import { from } from 'pg-copy-streams'

/** Each buffer is encoded while the server stores those before it. */
const ROWS_PER_BUFFER = 1_000

/** Inserts rows, as the text that COPY reads, into columns of a table. */
export async function copyIn(
  client: ClientBase,
  { table, columns }: TableColumns,
  text: Iterable<Uint8Array>,
): Promise<void> {
  const names = columns.map(({ name }) => name).join(', ')
  await pipeline(Readable.from(text), client.query(from(`copy ${table} (${names}) from stdin`)))
}

/** The server begins with a message when all of it is there. */
const MESSAGE_BYTES = 64 * 1024

/** Cuts text into parts for COPY, which need not end with a row. */
export function* inMessages(text: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < text.length; start += MESSAGE_BYTES) yield text.subarray(start, start + MESSAGE_BYTES)
}

/** Returns the rows of a query, as COPY writes them. */
export function copyOut(client: ClientBase, query: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    client.query(new CopyOut(`copy (${query}) to stdout`, resolve, reject))
  })
}

/**
 * Collects what the server sends. A stream such as that of pg-copy-streams does not wait for all of it, and takes longer
 * for each row than the server does.
 */
class CopyOut implements Submittable {
  readonly #sql: string
  readonly #resolve: (rows: Buffer) => void
  readonly #reject: (error: Error) => void
  #rows: Buffer = Buffer.allocUnsafe(MESSAGE_BYTES)
  #length = 0

  constructor(sql: string, resolve: (rows: Buffer) => void, reject: (error: Error) => void) {
    this.#sql = sql
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: Connection): void {
    connection.query(this.#sql)
  }

  /** Each message has one row. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (this.#length + chunk.length > this.#rows.length) {
      const larger = Buffer.allocUnsafe(2 * (this.#length + chunk.length))
      this.#rows.copy(larger, 0, 0, this.#length)
      this.#rows = larger
    }
    this.#length += chunk.copy(this.#rows, this.#length)
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#resolve(this.#rows.subarray(0, this.#length))
  }

  handleError(error: Error): void {
    this.#reject(error)
  }
}

/** Encodes rows as the text that COPY reads. */
export function* copyText(rows: readonly (readonly SqlValue[])[]): Generator<Buffer> {
  for (let start = 0; start < rows.length; start += ROWS_PER_BUFFER) {
    let text = ''
    for (const row of rows.slice(start, start + ROWS_PER_BUFFER)) {
      text += textOf(row[0])
      for (let place = 1; place < row.length; place += 1) text += `\t${textOf(row[place])}`
      text += '\n'
    }
    yield Buffer.from(text)
  }
}

const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function textOf(value: SqlValue | undefined): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '\\N' : String(value)
  return SPECIAL.test(value) ? value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character) : value
}
