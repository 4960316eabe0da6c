import { CsvError, parse } from 'csv-parse/sync'
import { BrokenFile, type Entry, type EntryReader, judge } from './entry.ts'
import { MAX_LINE_BYTES } from './read-lines.ts'

/** One record, with its values once they are known. */
interface CsvRecord {
  readonly line: number
  lastLine: number
  text: string
  values: readonly string[]
}

/**
 * Reads CSV (RFC 4180) whose first record names the columns `name`, `categoryId`, `status`, in any order; an `id` is
 * allowed and means nothing. An empty `status` is none. Empty lines are passed over.
 *
 * A line without a quote has nothing to interpret. The others go to csv-parse, many at a time, since it looks at
 * every byte and takes longer than a database does to store what it found.
 */
export function createCsvReader(): EntryReader {
  let line = 0
  let open: CsvRecord | undefined
  let openBytes = 0
  let toEntry: ((record: CsvRecord) => Entry) | undefined

  return {
    read(lines) {
      const records: CsvRecord[] = []
      const quoted: CsvRecord[] = []
      for (const text of lines) {
        line += 1
        if (open === undefined) {
          const record = { line, lastLine: line, text, values: [] as readonly string[] }
          if (!text.includes('"')) {
            record.values = withoutReturn(text).split(',')
            if (record.values.length > 1 || record.values[0] !== '') records.push(record)
            continue
          }
          open = record
          openBytes = Buffer.byteLength(text)
          if (hasOddQuotes(text)) continue
        } else {
          open.text += `\n${text}`
          open.lastLine = line
          openBytes += Buffer.byteLength(text) + 1
          if (openBytes > MAX_LINE_BYTES) throw notClosed(open)
          if (!hasOddQuotes(text)) continue
        }
        records.push(open)
        quoted.push(open)
        open = undefined
      }
      parseQuoted(quoted)
      if (toEntry === undefined && records[0] !== undefined) toEntry = readHeading(records.shift() as CsvRecord)
      return toEntry === undefined ? [] : records.map(toEntry)
    },

    end() {
      if (open !== undefined) throw notClosed(open)
      if (toEntry === undefined) throw wrongHeading(1, [])
    },
  }
}

/** Gives records with quotes their values. */
function parseQuoted(records: readonly CsvRecord[]): void {
  if (records.length === 0) return
  const text = records.map((record) => `${record.text}\n`).join('')
  try {
    const values = parse(text, { record_delimiter: ['\r\n', '\n'], relax_column_count: true })
    for (const [index, record] of records.entries()) record.values = values[index] ?? []
  } catch (error) {
    const broken = error instanceof CsvError ? records[Number(Reflect.get(error, 'records'))] : undefined
    if (broken === undefined) throw error
    throw new BrokenFile(
      broken.line,
      'has a quote where none can be; a value is in quotes whole, and quotes in it are doubled',
    )
  }
}

const COLUMNS = ['name', 'categoryId', 'status', 'id']

function readHeading({ line, values: columns }: CsvRecord): (record: CsvRecord) => Entry {
  const isKnown = columns.every((column, index) => COLUMNS.includes(column) && columns.indexOf(column) === index)
  const [name, categoryId, status] = COLUMNS.map((column) => columns.indexOf(column)) as [number, number, number]
  if (!isKnown || name === -1 || categoryId === -1) throw wrongHeading(line, columns)

  return ({ line, lastLine, values }) => {
    if (values.length !== columns.length) {
      return {
        line,
        lastLine,
        reason: `must have ${columns.length} values as the first line has, got ${values.length}`,
      }
    }
    return judge(line, lastLine, {
      name: values[name],
      categoryId: integer(values[categoryId] ?? ''),
      // An empty place is how CSV says nothing.
      status: values[status] || undefined,
    })
  }
}

function integer(text: string): bigint | string {
  return /^(?:0|-?[1-9][0-9]{0,18})$/.test(text) ? BigInt(text) : text
}

function hasOddQuotes(text: string): boolean {
  return text.split('"').length % 2 === 0
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text
}

function notClosed({ line }: CsvRecord): BrokenFile {
  return new BrokenFile(line, 'has a quote that is not closed')
}

function wrongHeading(line: number, columns: readonly string[]): BrokenFile {
  const got = JSON.stringify(columns.join(',').slice(0, 100))
  return new BrokenFile(
    line,
    `must name the columns name and categoryId, and may name status and id, each once, got ${got}`,
  )
}
