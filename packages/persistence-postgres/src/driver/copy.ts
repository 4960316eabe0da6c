import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { SqlValue, TableColumns } from '@pet-store/persistence-mikro-orm'
import type { ClientBase, Connection, Submittable } from 'pg'
import { from } from 'pg-copy-streams'
import { readMessages } from './row-reader.ts'

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

/** Rows as COPY writes them. */
export interface CopiedRows {
  readonly text: Buffer
  readonly count: number
}

/**
 * Returns the first rows of a query, in this memory: those that fit into it, or one that is larger in memory of its own.
 * The server sends the others too, and they are dropped.
 */
export function copyOut(client: ClientBase, query: string, memory: Buffer): Promise<CopiedRows> {
  return new Promise((resolve, reject) => {
    client.query(new CopyOut(`copy (${query}) to stdout`, memory, resolve, reject))
  })
}

const COPY_DATA = 0x64
const READY_FOR_QUERY = 0x5a
/** A call that copies fewer bytes takes longer than copying them one by one. */
const SHORT_BYTES = 100

/**
 * Collects the rows that the server sends. Meanwhile it reads the connection before the driver does, which makes three
 * objects of each row and takes longer for them than the server; all messages but rows are passed on to the driver.
 */
class CopyOut implements Submittable {
  readonly #sql: string
  readonly #resolve: (rows: CopiedRows) => void
  readonly #reject: (error: Error) => void
  #text: Buffer
  #length = 0
  #count = 0
  #isFull = false

  constructor(sql: string, memory: Buffer, resolve: (rows: CopiedRows) => void, reject: (error: Error) => void) {
    this.#sql = sql
    this.#text = memory
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: Connection): void {
    const giveBack = readMessages(connection, (type, bytes, start, end) => {
      if (type === COPY_DATA) this.#addRow(bytes, start, end)
      if (type === READY_FOR_QUERY) giveBack()
      return type !== COPY_DATA
    })
    connection.query(this.#sql)
  }

  /** Each message has one row. */
  #addRow(bytes: Buffer, start: number, end: number): void {
    const length = this.#length + end - start
    if (length > this.#text.length) {
      this.#isFull ||= this.#count > 0
      if (!this.#isFull) this.#text = Buffer.allocUnsafeSlow(length)
    }
    if (this.#isFull) return
    const text = this.#text
    let place = this.#length
    if (end - start > SHORT_BYTES) bytes.copy(text, place, start, end)
    else for (let from = start; from < end; from += 1, place += 1) text[place] = bytes[from] as number
    this.#length = length
    this.#count += 1
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#resolve({ text: this.#text.subarray(0, this.#length), count: this.#count })
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
