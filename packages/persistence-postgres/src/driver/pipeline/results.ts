import type { SqlValue } from '@pet-store/persistence-mikro-orm'
import pg, { type Client, type FieldDef } from 'pg'
import type { Row } from '../pool-statements.ts'

const BIND_COMPLETE = 0x32
const COMMAND_COMPLETE = 0x43
const DATA_ROW = 0x44
const READY_FOR_QUERY = 0x5a
/** One byte for the type of a message, four for its length, which includes these four. */
const HEADER_BYTES = 5

/** Receives the results of statements, in the order in which the statements were sent. */
export interface ResultReceiver {
  /** Called for each row. The row begins at `start`, with the number of its columns. */
  onRow(bytes: Buffer, start: number): void
  /** Called when all rows of a statement have arrived. */
  onComplete(): void
  /** Called when all results up to a `Sync`, or an error instead, have arrived. */
  onReady(): void
}

/**
 * Reads the rows that arrive on a connected client, and passes every other message on to the
 * driver. The driver itself would make a text of each column, and three more objects and two events
 * for each row. docs/decisions/0033-hot-path.md
 *
 * This file and `read-batch.ts` depend on details that pg does not document: here, that one
 * listener reads `connection.stream`; there, that a query is an object with `submit` and methods
 * whose names begin with `handle`. `connections.ts` reads a row when it opens the database, which
 * fails with `OTHER_DRIVER` if these details have changed.
 */
export function receiveResults({ connection: { stream } }: Client, receiver: ResultReceiver): void {
  const [driver, ...others] = stream.listeners('data') as ((bytes: Buffer) => void)[]
  if (driver === undefined || others.length > 0) throw new Error(OTHER_DRIVER)
  let rest: Buffer | undefined

  function read(chunk: Buffer): void {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    while (start + HEADER_BYTES <= bytes.length) {
      const end = start + 1 + bytes.readUInt32BE(start + 1)
      if (end > bytes.length) break
      const type = bytes[start]
      if (type === DATA_ROW) receiver.onRow(bytes, start + HEADER_BYTES)
      else if (type === COMMAND_COMPLETE) receiver.onComplete()
      else if (type !== BIND_COMPLETE) driver?.(bytes.subarray(start, end))
      if (type === READY_FOR_QUERY) receiver.onReady()
      start = end
    }
    rest = start === bytes.length ? undefined : bytes.subarray(start)
  }

  stream.off('data', driver).on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (error) {
      stream.destroy(error as Error)
    }
  })
}

export const OTHER_DRIVER: string =
  'pipelined reads do not work with this version of pg; install the version of the lockfile'

/** Reads a row from the bytes that begin at `start` with the number of its columns. */
export type ReadRow = (bytes: Buffer, start: number) => Row

/** Returns the function that reads rows with these columns. */
export function rowReader(fields: readonly FieldDef[]): ReadRow {
  const readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID))
  return (bytes, start) => {
    const row = new Array<SqlValue>(readers.length)
    let position = start + 2
    for (let column = 0; column < readers.length; column += 1) {
      const length = bytes.readInt32BE(position)
      position += 4
      if (length === -1) {
        row[column] = null
        continue
      }
      row[column] = (readers[column] as ReadColumn)(bytes, position, position + length)
      position += length
    }
    return row
  }
}

type ReadColumn = (bytes: Buffer, start: number, end: number) => SqlValue

const { INT8, TEXT, VARCHAR } = pg.types.builtins

function readerOf(type: number): ReadColumn {
  if (type === INT8) return readBigint
  if (type === TEXT || type === VARCHAR) return readText
  const parse = pg.types.getTypeParser(type, 'text') as (text: string) => SqlValue
  return (bytes, start, end) => parse(readText(bytes, start, end))
}

function readText(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end)
}

const MINUS = 0x2d
const ZERO = 0x30
/** An integer with up to this many characters, the sign included, is exact as a number. */
const MAX_EXACT_LENGTH = 15

function readBigint(bytes: Buffer, start: number, end: number): bigint {
  if (end - start > MAX_EXACT_LENGTH) return BigInt(bytes.toString('latin1', start, end))
  const isNegative = bytes[start] === MINUS
  let value = 0
  for (let position = isNegative ? start + 1 : start; position < end; position += 1)
    value = value * 10 + (bytes[position] as number) - ZERO
  return BigInt(isNegative ? -value : value)
}
