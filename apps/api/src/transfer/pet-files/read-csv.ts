import { type Info, type Parser, parse } from 'csv-parse'
import {
  type Entry,
  type FileValues,
  NEW_PET_FIELDS,
  quoted,
  UnreadableFileError,
  validateEntry,
} from './entry.ts'
import { LINE_END, MAX_LINE_BYTES } from './read-text.ts'

/**
 * Reads CSV (RFC 4180), with commas, semicolons or tabs. The first record names the
 * columns, in any order; a column `id` is allowed and ignored. An empty optional value is an absent
 * field. Records without any value are skipped.
 */
export async function* readCsv(text: AsyncIterable<string>): AsyncGenerator<readonly Entry[]> {
  let toEntry: ((record: CsvRecord) => Entry) | undefined
  for await (const records of parseRecords(text)) {
    const [header] = toEntry === undefined ? records.splice(0, 1) : []
    if (header !== undefined) toEntry = readHeader(header)
    if (toEntry !== undefined) yield records.map(toEntry)
  }
  if (toEntry === undefined)
    throw new UnreadableFileError(`Line 1 must name the columns: ${HEADER_RULE}.`)
}

interface CsvRecord {
  readonly line: number
  readonly values: readonly string[]
}

/**
 * Returns the records that end in each chunk of text. If a record cannot be read, throws after it
 * has returned the records before it.
 */
async function* parseRecords(text: AsyncIterable<string>): AsyncGenerator<CsvRecord[]> {
  const records: CsvRecord[] = []
  let parser: Parser | undefined
  let lastLine = 0
  let returns = 0

  function onRecord(values: readonly string[], { lines }: Info): undefined {
    const breaks = values.join('').replace(/[^\r\n]+/g, '')
    // The parser counts a carriage return in a value as a line; here it is not one.
    returns += breaks.split('\r').length - 1
    lastLine = lines - returns
    const line = lastLine - breaks.split('\n').length + 1
    if (values.some((value) => value.trim() !== '')) records.push({ line, values })
  }

  for await (const chunk of text) {
    parser ??= createParser(chunk, onRecord)
    const writing = parser
    const error = await new Promise<Error | null | undefined>(
      (resolve) => void writing.write(chunk, resolve),
    )
    yield records.splice(0)
    if (error) throw mistakeAfter(lastLine, error)
  }
  // The parser keeps the end of a chunk until it gets the next one, or the end of the text.
  const error = await parser
    ?.end()
    .toArray()
    .catch((failure: Error) => failure)
  yield records
  if (error instanceof Error) throw mistakeAfter(lastLine, error)
}

const DELIMITER_LINE = /^"?sep=(.)"?[\r\n]/i
/** Spreadsheet programs write semicolons in languages where the comma is the decimal separator. */
const DELIMITERS = [',', ';', '\t']

/**
 * Creates a parser for a text with this beginning, which shows the delimiter. Excel may write it on
 * a line before the first record.
 */
function createParser(
  beginning: string,
  on_record: (values: readonly string[], info: Info) => undefined,
): Parser {
  const named = DELIMITER_LINE.exec(beginning)?.[1]
  const [header = ''] = beginning.trimStart().split(LINE_END, 1)
  const parser = parse({
    delimiter: named ?? DELIMITERS.find((delimiter) => header.includes(delimiter)) ?? ',',
    from_line: named === undefined ? 1 : 2,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE_BYTES,
    on_record,
  })
  // The caller of `write` gets the error.
  return parser.on('error', () => {})
}

const MISTAKES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  CSV_MAX_RECORD_SIZE:
    `has more than ${MAX_LINE_BYTES.toLocaleString('en')} bytes, ` +
    'or a quote that is not closed',
}
const MISPLACED_QUOTE =
  'has a misplaced quote: quotes enclose a whole value, and a quote in it is written twice'

function mistakeAfter(line: number, { code = '' }: Error & { readonly code?: string }): Error {
  return new UnreadableFileError(
    `The record after line ${line} ${MISTAKES[code] ?? MISPLACED_QUOTE}.`,
  )
}

const COLUMNS: readonly string[] = [...NEW_PET_FIELDS.map(({ name }) => name), 'id']
const REQUIRED = NEW_PET_FIELDS.filter(({ isRequired }) => isRequired).map(({ name }) => name)
const HEADER_RULE = `${COLUMNS.join(', ')}, of which ${REQUIRED.join(' and ')} are required`

/** Returns the function that makes entries of the records after the header. */
function readHeader({ line, values: header }: CsvRecord): (record: CsvRecord) => Entry {
  const columns = header.map(columnOf)
  const mistake = headerMistake(header, columns)
  if (mistake !== undefined)
    throw new UnreadableFileError(`Line ${line} ${mistake}; the columns are ${HEADER_RULE}.`)

  return ({ line, values }) => {
    if (values.length !== columns.length) {
      return {
        line,
        reason: `must have ${columns.length} values like the first line, got ${values.length}`,
      }
    }
    const pet: FileValues = {}
    for (const { name, isInteger, isRequired } of NEW_PET_FIELDS) {
      const value = values[columns.indexOf(name)] ?? ''
      if (value !== '' || isRequired) pet[name] = isInteger ? integerIn(value) : value
    }
    return validateEntry(line, pet)
  }
}

/** The column that a heading names, which may also be written as `Category ID` or `category_id`. */
function columnOf(text: string): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '')
  return COLUMNS.find((column) => plain(column) === plain(text))
}

function headerMistake(
  header: readonly string[],
  columns: readonly (string | undefined)[],
): string | undefined {
  const unknown = columns.indexOf(undefined)
  if (unknown !== -1) return `has the unknown column ${quoted(header[unknown])}`
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index)
  if (repeated !== undefined) return `has the column ${repeated} twice`
  const missing = REQUIRED.find((column) => !columns.includes(column))
  return missing === undefined ? undefined : `lacks the column ${missing}`
}

/**
 * Parses an integer; some programs write 1 as `1.0`. Other text is returned unchanged, and the
 * domain rejects it. So is `1E+15`, which may have lost digits.
 */
function integerIn(text: string): unknown {
  const [, integer] = /^(0|-?[1-9][0-9]{0,18})(?:\.0+)?$/.exec(text) ?? []
  return integer === undefined ? text : BigInt(integer)
}
