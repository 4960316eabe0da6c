import { BrokenFile, type Entry, type EntryReader, validateEntry } from './entry.ts'
import { ID, PET_FIELDS } from './pet-fields.ts'
import { MAX_LINE_BYTES } from './read-lines.ts'

/** What separates values: spreadsheet programs write semicolons where the comma is the decimal sign. */
const DELIMITERS = [',', ';', '\t']

/** One record. */
interface CsvRecord {
  readonly line: number
  readonly lastLine: number
  readonly values: readonly string[]
}

/**
 * Reads CSV (RFC 4180), or the same with semicolons or tabs. The first record names the columns, in any order; a column
 * `id` is allowed and not used. An empty optional value is an absent field. Empty lines are skipped.
 */
export function createCsvReader(): EntryReader {
  let line = 0
  let delimiter: string | undefined
  /** A record that has begun, and whose last quote is not closed. */
  let open: { readonly line: number; text: string; bytes: number } | undefined
  let toEntry: ((record: CsvRecord) => Entry) | undefined

  return {
    read(lines) {
      const entries: Entry[] = []
      for (const text of lines) {
        line += 1
        if (open === undefined) {
          if (text === '' || text === '\r') continue
          if (hasOddQuotes(text)) {
            open = { line, text, bytes: Buffer.byteLength(text) }
            continue
          }
        } else {
          open.text += `\n${text}`
          open.bytes += Buffer.byteLength(text) + 1
          if (open.bytes > MAX_LINE_BYTES) throw notClosed(open)
          if (!hasOddQuotes(text)) continue
        }
        const record = open ?? { line, text }
        open = undefined
        delimiter ??= delimiterOf(record.text)
        const values = splitRecord(withoutReturn(record.text), delimiter)
        if (values === undefined) throw new BrokenFile(record.line, MISPLACED_QUOTE)
        const whole = { line: record.line, lastLine: line, values }
        if (toEntry === undefined) toEntry = readHeader(whole)
        else entries.push(toEntry(whole))
      }
      return entries
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

const QUOTE = '"'
const MISPLACED_QUOTE = 'has a quote where none can be: quotes enclose a whole value, and a quote in it is doubled'

/**
 * Returns the values of a record; `undefined` if it has a quote where none can be. csv-parse, which looks at each
 * character, takes longer for a record than everything else that an import does with it.
 */
function splitRecord(text: string, delimiter: string): readonly string[] | undefined {
  if (!text.includes(QUOTE)) return text.split(delimiter)
  const values: string[] = []
  for (let start = 0; start <= text.length; ) {
    const isQuoted = text[start] === QUOTE
    const end = isQuoted ? endOfQuoted(text, start) : text.indexOf(delimiter, start)
    const value = text.slice(start, end === -1 ? undefined : end)
    if (isQuoted) {
      if (end === -1 || (end < text.length && text[end] !== delimiter)) return undefined
      values.push(value.slice(1, -1).replaceAll('""', QUOTE))
    } else {
      if (value.includes(QUOTE)) return undefined
      values.push(value)
    }
    start = end === -1 ? text.length + 1 : end + 1
  }
  return values
}

/** Returns the place after the quote that closes a value; -1 if there is none. */
function endOfQuoted(text: string, start: number): number {
  let end = text.indexOf(QUOTE, start + 1)
  while (end !== -1 && text[end + 1] === QUOTE) end = text.indexOf(QUOTE, end + 2)
  return end === -1 ? -1 : end + 1
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
  return text.includes(QUOTE) && text.split(QUOTE).length % 2 === 0
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text
}

function notClosed({ line }: { readonly line: number }): BrokenFile {
  return new BrokenFile(line, 'has a quote that is not closed')
}
