import type { SqlValue } from '@pet-store/persistence-mikro-orm'
import pg, { type FieldDef } from 'pg'
import type { Row } from './pool-statements.ts'

/** Makes a row of the bytes that start with the number of its columns. */
export type ReadRow = (bytes: Buffer, start: number) => Row

/** Returns how rows with these columns are read. */
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
/** As many digits as a number holds exactly, with a sign. */
const MAX_EXACT_LENGTH = 15

function readBigint(bytes: Buffer, start: number, end: number): bigint {
  if (end - start > MAX_EXACT_LENGTH) return BigInt(bytes.toString('latin1', start, end))
  const isNegative = bytes[start] === MINUS
  let value = 0
  for (let position = isNegative ? start + 1 : start; position < end; position += 1)
    value = value * 10 + (bytes[position] as number) - ZERO
  return BigInt(isNegative ? -value : value)
}
