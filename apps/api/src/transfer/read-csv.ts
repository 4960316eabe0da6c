import { finished } from 'node:stream/promises'
import { type Parser, parse } from 'csv-parse'
import { type Entry, type FileFields, quoted, UnreadableFileError, validateEntry } from './entry.ts'
import { NEW_PET_FIELDS, PET_FIELDS } from './pet-fields.ts'
import { MAX_LINE_BYTES } from './read-file.ts'

/**
 * Reads CSV (RFC 4180), or the same with semicolons or tabs. The first record names the columns, in any order; a column
 * `id` is allowed and ignored. An empty optional value is an absent field. Records without any value are skipped.
 */
export async function* readCsv(source: AsyncIterable<Buffer>): AsyncGenerator<readonly Entry[]> {
  let toEntry: ((record: CsvRecord) => Entry) | undefined
  for await (const { records, mistake } of parseRecords(source)) {
    const [header] = toEntry === undefined ? records.splice(0, 1) : []
    if (header !== undefined) toEntry = readHeader(header)
    // The records before a mistake are good.
    if (toEntry !== undefined) yield records.map(toEntry)
    if (mistake !== undefined) throw mistake
  }
  if (toEntry === undefined) throw new UnreadableFileError(`Line 1 must name the columns: ${HEADER_RULE}.`)
}

interface CsvRecord {
  readonly line: number
  readonly lastLine: number
  readonly values: readonly string[]
}

interface Head {
  readonly delimiter: string
  /** The first line that has values; Excel names the delimiter in a line before it. */
  readonly firstLine: number
}

const DELIMITER_LINE = /^"?sep=(.)"?\r?\n/i
/** What separates values: spreadsheet programs write semicolons where the comma is the decimal sign. */
const DELIMITERS = [',', ';', '\t']

function headOf(text: Buffer): Head {
  const beginning = text.toString('utf8', 0, MAX_LINE_BYTES)
  const named = DELIMITER_LINE.exec(beginning)?.[1]
  if (named !== undefined) return { delimiter: named, firstLine: 2 }
  const [header = ''] = beginning.trimStart().split('\n', 1)
  return { delimiter: DELIMITERS.find((delimiter) => header.includes(delimiter)) ?? ',', firstLine: 1 }
}

interface ParsedText {
  readonly records: CsvRecord[]
  readonly mistake?: Error | undefined
}

/** Returns the records that end in each piece of text. The parser of the library has them when a piece is written to it. */
async function* parseRecords(source: AsyncIterable<Buffer>): AsyncGenerator<ParsedText> {
  const records: CsvRecord[] = []
  let parser: Parser | undefined
  let lastLine = 0
  let returns = 0

  function onRecord(values: readonly string[], lines: number): void {
    let lineFeeds = 0
    for (const value of values.filter((one) => LINE_BREAK.test(one))) {
      lineFeeds += value.split('\n').length - 1
      // The parser counts a carriage return in a value as a line.
      returns += value.split('\r').length - 1
    }
    lastLine = lines - returns
    if (values.some((value) => value.trim() !== '')) records.push({ line: lastLine - lineFeeds, lastLine, values })
  }

  const parsed = (error?: Error | null): ParsedText => ({
    records: records.splice(0),
    mistake: error ? mistakeAfter(lastLine, error) : undefined,
  })

  for await (const text of source) {
    parser ??= createParser(headOf(text), onRecord)
    const writing = parser
    yield parsed(await new Promise<Error | null | undefined>((resolve) => void writing.write(text, resolve)))
  }
  if (parser === undefined) return
  parser.end()
  yield parsed((await finished(parser).catch((error: Error) => error)) ?? null)
}

function createParser(
  { delimiter, firstLine }: Head,
  onRecord: (values: readonly string[], lines: number) => void,
): Parser {
  const parser = parse({
    delimiter,
    from_line: firstLine,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE_BYTES,
    on_record(values: readonly string[], { lines }) {
      onRecord(values, lines)
      // So that nothing is to be read from the parser itself.
      return undefined
    },
  })
  // Whoever writes gets the error.
  return parser.on('error', () => {}).resume()
}

function mistakeAfter(line: number, error: Error): Error {
  if (!('code' in error)) return error
  const mistake = MISTAKES[String(error.code)] ?? MISPLACED_QUOTE
  return new UnreadableFileError(`The record after line ${line} ${mistake}.`)
}

const LINE_BREAK = /[\r\n]/

const MISTAKES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  CSV_MAX_RECORD_SIZE: `has more than ${MAX_LINE_BYTES.toLocaleString('en')} bytes, or a quote that is not closed`,
}
const MISPLACED_QUOTE = 'has a quote where none can be: quotes enclose a whole value, and a quote in it is doubled'

const COLUMNS: readonly string[] = [...NEW_PET_FIELDS.map(({ name }) => name), 'id']
const REQUIRED = PET_FIELDS.filter(({ isRequired }) => isRequired).map(({ name }) => name)
const HEADER_RULE = `${COLUMNS.join(', ')}, of which ${REQUIRED.join(' and ')} are required`

/** Returns how the records after this one become entries. */
function readHeader({ line, values: header }: CsvRecord): (record: CsvRecord) => Entry {
  const columns = header.map(columnOf)
  const mistake = headerMistake(header, columns)
  if (mistake !== undefined) throw new UnreadableFileError(`Line ${line} ${mistake}; the columns are ${HEADER_RULE}.`)
  const fields = NEW_PET_FIELDS.flatMap(({ name, isInteger, isRequired }) => {
    const index = columns.indexOf(name)
    return index === -1 ? [] : [{ name, index, isInteger, isRequired }]
  })

  return ({ line, lastLine, values }) => {
    if (values.length !== columns.length) {
      const reason = `must have ${columns.length} values like the first line, got ${values.length}`
      return { line, lastLine, reason }
    }
    const pet: FileFields = {}
    for (const { name, index, isInteger, isRequired } of fields) {
      const value = values[index] ?? ''
      pet[name] = isInteger ? integerIn(value) : value === '' && !isRequired ? undefined : value
    }
    return validateEntry(line, lastLine, pet)
  }
}

/** People write `Name`, `category_id` or `Category ID`. */
function columnOf(text: string): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '')
  return COLUMNS.find((column) => plain(column) === plain(text))
}

function headerMistake(header: readonly string[], columns: readonly (string | undefined)[]): string | undefined {
  const unknown = columns.indexOf(undefined)
  if (unknown !== -1) return `has the unknown column ${quoted(header[unknown])}`
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index)
  if (repeated !== undefined) return `has the column ${repeated} twice`
  const missing = REQUIRED.find((column) => !columns.includes(column))
  return missing === undefined ? undefined : `lacks the column ${missing}`
}

/** Text that is no integer stays text, for the domain to reject. */
function integerIn(text: string): unknown {
  return /^(?:0|-?[1-9][0-9]{0,18})$/.test(text) ? BigInt(text) : text
}
