import { CsvError, parse } from 'csv-parse/sync'
import { BrokenFile, type Entry, type EntryReader, validateEntry } from './entry.ts'
import { ID, PET_FIELDS } from './pet-fields.ts'
import { MAX_LINE_BYTES } from './read-lines.ts'

/** What separates values: spreadsheet programs write semicolons where the comma is the decimal sign. */
const DELIMITERS = [',', ';', '\t']

/** One record; its values are known later if it has quotes. */
interface CsvRecord {
  readonly line: number
  lastLine: number
  text: string
  values: readonly string[]
}

/**
 * Reads CSV (RFC 4180), or the same with semicolons or tabs. The first record names the columns, in any order; a column
 * `id` is allowed and not used. An empty optional value is an absent field. Empty lines are skipped.
 *
 * Lines without a quote are split here. The others go to csv-parse, many at a time: it looks at every byte and takes
 * longer than a database does to store what it found.
 */
export function createCsvReader(): EntryReader {
  let line = 0
  let delimiter: string | undefined
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
          if (text === '' || text === '\r') continue
          delimiter ??= delimiterOf(text)
          const record = { line, lastLine: line, text, values: [] as readonly string[] }
          if (!text.includes('"')) {
            record.values = withoutReturn(text).split(delimiter)
            records.push(record)
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
      parseQuoted(quoted, delimiter ?? ',')
      if (toEntry === undefined && records[0] !== undefined) toEntry = readHeader(records.shift() as CsvRecord)
      return toEntry === undefined ? [] : records.map(toEntry)
    },

    end() {
      if (open !== undefined) throw notClosed(open)
      if (toEntry === undefined) throw new BrokenFile(1, `must name the columns: ${HEADER_RULE}`)
    },
  }
}

/** The header has no value in which a delimiter could stand. */
function delimiterOf(header: string): string {
  return DELIMITERS.find((delimiter) => header.includes(delimiter)) ?? ','
}

/** Sets the values of records with quotes. */
function parseQuoted(records: readonly CsvRecord[], delimiter: string): void {
  if (records.length === 0) return
  const text = records.map((record) => `${record.text}\n`).join('')
  try {
    const values = parse(text, { delimiter, record_delimiter: ['\r\n', '\n'], relax_column_count: true })
    for (const [index, record] of records.entries()) record.values = values[index] ?? []
  } catch (error) {
    const broken = error instanceof CsvError ? records[Number(Reflect.get(error, 'records'))] : undefined
    if (broken === undefined) throw error
    throw new BrokenFile(
      broken.line,
      'has a quote where none can be: quotes enclose a whole value, and a quote in it is doubled',
    )
  }
}

const COLUMNS: readonly string[] = [...PET_FIELDS.map(({ name }) => name), ID]
const REQUIRED = PET_FIELDS.filter(({ isRequired }) => isRequired).map(({ name }) => name)
const HEADER_RULE = `${COLUMNS.join(', ')}, of which ${REQUIRED.join(' and ')} are required`

function readHeader({ line, values: columns }: CsvRecord): (record: CsvRecord) => Entry {
  const mistake = headerMistake(columns)
  if (mistake !== undefined) throw new BrokenFile(line, `${mistake}; the columns are ${HEADER_RULE}`)
  const fields = PET_FIELDS.flatMap(({ name, fromCsv }) => {
    const place = columns.indexOf(name)
    return place === -1 ? [] : [{ name, place, fromCsv }]
  })

  return ({ line, lastLine, values }) => {
    if (values.length !== columns.length) {
      const reason = `must have ${columns.length} values like the first line, got ${values.length}`
      return { line, lastLine, reason }
    }
    const pet: Record<string, unknown> = {}
    for (const { name, place, fromCsv } of fields) pet[name] = fromCsv(values[place] ?? '')
    return validateEntry(line, lastLine, pet)
  }
}

function headerMistake(columns: readonly string[]): string | undefined {
  const unknown = columns.find((column) => !COLUMNS.includes(column))
  if (unknown !== undefined) return `has the unknown column ${JSON.stringify(unknown.slice(0, 60))}`
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index)
  if (repeated !== undefined) return `has the column ${repeated} twice`
  const missing = REQUIRED.find((column) => !columns.includes(column))
  return missing === undefined ? undefined : `lacks the column ${missing}`
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
