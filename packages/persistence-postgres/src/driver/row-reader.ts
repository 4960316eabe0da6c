import pg, { type Client, type Connection, type FieldDef } from 'pg'
import type { DriverStatement } from './statement-runner.ts'

const BIND_COMPLETE = 0x32
const COMMAND_COMPLETE = 0x43
const DATA_ROW = 0x44
/** The type of a message, and its length, which counts itself but not the type. */
const HEADER_BYTES = 5

/** Receives the results of statements, in the order in which these were sent. */
export interface ResultReceiver {
  /** A row starts at this place, with the number of its columns. */
  onRow(bytes: Buffer, start: number): void
  onComplete(): void
}

/**
 * Reads the messages that arrive on a connection before the driver does. The driver gets those for which `onMessage` returns
 * true, in their order. Returns a function that gives the connection back to it.
 */
export function readMessages(
  { stream }: Connection,
  onMessage: (type: number, bytes: Buffer, start: number, end: number) => boolean,
): () => void {
  const [driver, ...others] = stream.listeners('data') as ((bytes: Buffer) => void)[]
  if (driver === undefined || others.length > 0) throw new Error('The driver reads its connection in another way.')
  let rest: Buffer | undefined

  function read(chunk: Buffer): void {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    while (start + HEADER_BYTES <= bytes.length) {
      const end = start + 1 + bytes.readUInt32BE(start + 1)
      if (end > bytes.length) break
      if (onMessage(bytes[start] as number, bytes, start + HEADER_BYTES, end)) driver?.(bytes.subarray(start, end))
      start = end
    }
    rest = start === bytes.length ? undefined : bytes.subarray(start)
  }

  const onData = (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (error) {
      stream.destroy(error as Error)
    }
  }
  stream.off('data', driver).on('data', onData)
  return () => stream.off('data', onData).on('data', driver)
}

/**
 * Reads the rows that arrive on a connected client, and passes every other message on to the driver, whose own way through
 * a row makes a text of each column, three more objects and two events.
 */
export function receiveResults(client: Client, receiver: ResultReceiver): void {
  readMessages(client.connection, (type, bytes, start) => {
    if (type === DATA_ROW) receiver.onRow(bytes, start)
    else if (type === COMMAND_COMPLETE) receiver.onComplete()
    else return type !== BIND_COMPLETE
    return false
  })
}

/** Makes a row of the bytes that start with the number of its columns. */
export type ReadRow = (bytes: Buffer, start: number) => unknown

/** Returns how rows with these columns are read: as lists, or as objects. */
export function rowReader(fields: readonly FieldDef[], { rowMode }: DriverStatement): ReadRow {
  const readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID))
  const readList: ReadRow = (bytes, start) => {
    const row = new Array<unknown>(readers.length)
    let place = start + 2
    for (let column = 0; column < readers.length; column += 1) {
      const length = bytes.readInt32BE(place)
      place += 4
      if (length === -1) {
        row[column] = null
        continue
      }
      row[column] = readers[column]?.(bytes, place, place + length)
      place += length
    }
    return row
  }
  if (rowMode === 'array') return readList
  return (bytes, start) => {
    const row = readList(bytes, start) as unknown[]
    return Object.fromEntries(fields.map(({ name }, column) => [name, row[column]]))
  }
}

type ReadColumn = (bytes: Buffer, start: number, end: number) => unknown

const { INT8, TEXT, VARCHAR } = pg.types.builtins

function readerOf(type: number): ReadColumn {
  if (type === INT8) return readBigint
  if (type === TEXT || type === VARCHAR) return readText
  const parse = pg.types.getTypeParser(type, 'text') as (text: string) => unknown
  return (bytes, start, end) => parse(readText(bytes, start, end))
}

function readText(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end)
}

const MINUS = 0x2d
const ZERO = 0x30
/** As many digits as a number holds exactly, with a sign. */
const MAX_EXACT_LENGTH = 15

function readBigint(bytes: Buffer, start: number, end: number): bigint {
  if (end - start > MAX_EXACT_LENGTH) return BigInt(bytes.toString('latin1', start, end))
  const isNegative = bytes[start] === MINUS
  let value = 0
  for (let place = isNegative ? start + 1 : start; place < end; place += 1)
    value = value * 10 + (bytes[place] as number) - ZERO
  return BigInt(isNegative ? -value : value)
}
