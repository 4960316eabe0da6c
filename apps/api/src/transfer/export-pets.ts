import type { Pet, PetStatus } from '@pet-store/domain'
import { ID, IS_INTEGER } from './pet-fields.ts'
import type { Format } from './pet-file.ts'
import { PET_LINE_FIELDS, type PetSource, petLinePages, unescaped, withRoom } from './pet-lines.ts'

/** How much is turned into text at once: meanwhile nothing is received from the database. */
const PART_BYTES = 128 * 1024

export interface ExportOptions {
  readonly format: Format
  /** Whether ids are written. */
  readonly ids: boolean
  /** Only pets with this status. */
  readonly status?: PetStatus
}

/**
 * Returns pets as text by ascending id, a page at a time. One page is read ahead. A part is valid until the next but one
 * is asked for: two buffers take turns, because new ones for each part would be most of the memory of an export.
 */
export async function* exportPets(from: PetSource, { format, ids, status }: ExportOptions): AsyncGenerator<Uint8Array> {
  if (format === 'csv') yield Buffer.from(`${fieldNames(ids).join(',')}\n`)
  const toFile = createLineFormatter(format, ids)
  let [filling, written]: [Buffer, Buffer] = [Buffer.alloc(0), Buffer.alloc(0)]
  for await (const lines of petLinePages(from, status === undefined ? {} : { status })) {
    for (const part of partsOf(lines)) {
      const { output, length } = toFile(part, filling)
      ;[filling, written] = [written, output]
      yield output.subarray(0, length)
    }
  }
}

/** Cuts lines into parts of about the same size. */
function* partsOf(lines: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(LINE_FEED, start + PART_BYTES) + 1
    yield lines.subarray(start, end === 0 ? undefined : end)
    start = end === 0 ? lines.length : end
  }
}

const TAB = 9
const LINE_FEED = 10
const BACKSLASH = 92
const LETTER_N = 78
const QUOTE = 34
const COMMA = 44
const QUOTES = 2

/** How a byte is written: as it is, after another one, between quotes, or so that the text is encoded as a whole. */
const [PLAIN, ESCAPED, QUOTED, SPECIAL] = [0, 1, 2, 4]
/** The byte ends a field. */
const END = 8

/** How a format writes a line. */
interface LineFormat {
  /** What stands before a field of a line. */
  before(field: keyof Pet, isFirst: boolean): string
  /** What stands before the value, and after it. */
  readonly textQuote: string
  /** Whether an absent field leaves its place empty, instead of being left out. */
  readonly hasPlaceForAbsent: boolean
  readonly end: string
  /** The value of a text in which not every byte is plain. */
  encode(text: string): string
  /** How a byte of a text is written; several ways of them may add up. */
  writeAs(byte: number): number
  /** What stands before an escaped byte. */
  readonly escapeByte: number
  /** Whether a text that begins, or ends, with this byte may stay as it is. */
  isPlainAtStart(byte: number): boolean
  isPlainAtEnd(byte: number): boolean
}

const FORMATS: Record<Format, LineFormat> = {
  ndjson: {
    before: (field, isFirst) => `${isFirst ? '{' : ','}"${field}":`,
    textQuote: '"',
    hasPlaceForAbsent: false,
    end: '}\n',
    encode: JSON.stringify,
    writeAs: (byte) => (byte < 32 || byte === BACKSLASH ? SPECIAL : byte === QUOTE ? ESCAPED : PLAIN),
    escapeByte: BACKSLASH,
    isPlainAtStart: () => true,
    isPlainAtEnd: () => true,
  },
  csv: {
    before: (_, isFirst) => (isFirst ? '' : ','),
    textQuote: '',
    hasPlaceForAbsent: true,
    end: '\n',
    encode: csvValue,
    writeAs: (byte) => {
      if (byte < 32 || byte === BACKSLASH) return SPECIAL
      return byte === QUOTE ? ESCAPED | QUOTED : byte === COMMA ? QUOTED : PLAIN
    },
    escapeByte: QUOTE,
    // Beyond ASCII there are more kinds of white space.
    isPlainAtStart: (byte) => byte > 32 && !SPACE_STARTS.has(byte),
    isPlainAtEnd: (byte) => byte > 32 && byte < 128,
  },
}

/** The first bytes of the UTF-8 of white space beyond ASCII, as ECMAScript's `\s` has it. */
const SPACE_STARTS = new Set(
  [...'\u00a0\u1680\u2000\u2028\u202f\u205f\u3000\ufeff'].map((space) => Buffer.from(space)[0]),
)

/** RFC 4180 needs no quotes around spaces at the ends, but some programs cut them off without. */
function csvValue(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The names of the fields of a file, in their order. */
function fieldNames(ids: boolean): readonly (keyof Pet)[] {
  return PET_LINE_FIELDS.filter((field) => ids || field !== ID)
}

/**
 * Returns a function that turns lines of a database into lines of a file. It works on bytes: nearly all of them are the
 * same in both, and to make pets of them and text of these takes longer than the database does for all the rest.
 * docs/decisions/0070-copies-and-imports-by-content.md
 */
function createLineFormatter(
  format: Format,
  ids: boolean,
): (lines: Uint8Array, output: Buffer) => { output: Buffer; length: number } {
  const { before, textQuote, hasPlaceForAbsent, end, encode, writeAs, escapeByte, isPlainAtStart, isPlainAtEnd } =
    FORMATS[format]
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  const ways = Uint8Array.from(bytes, (byte) => (byte === TAB || byte === LINE_FEED ? END : writeAs(byte)))
  const plainAtStart = Uint8Array.from(bytes, (byte) => Number(isPlainAtStart(byte)))
  const plainAtEnd = Uint8Array.from(bytes, (byte) => Number(isPlainAtEnd(byte)))
  const endOfLine = Buffer.from(end)
  const quote = Buffer.from(textQuote)
  const [first] = fieldNames(ids)
  const fields = PET_LINE_FIELDS.map((field) => {
    const text = before(field, field === first)
    const isText = !IS_INTEGER[field]
    return {
      isWritten: ids || field !== ID,
      isText,
      before: Buffer.from(text),
      beforePlain: Buffer.from(isText ? text + textQuote : text),
      absent: Buffer.from(hasPlaceForAbsent ? text : ''),
    }
  })
  // A byte may be written as two, and each field ends with a byte.
  const constants = fields.map(({ beforePlain }) => beforePlain.length + QUOTES)
  const growth = 2 + Math.max(...constants) + endOfLine.length

  return (lines, reused) => {
    const input = Buffer.from(lines.buffer, lines.byteOffset, lines.length)
    let output = withRoom(reused, 0, growth * input.length)
    let length = 0
    let place = 0
    while (place < input.length) {
      for (const field of fields) {
        const start = place
        let byte = input[place] as number
        if (!field.isWritten) {
          while (ways[byte] !== END) byte = input[++place] as number
          place += 1
          continue
        }
        if (byte === BACKSLASH && input[start + 1] === LETTER_N) {
          length = put(field.absent, output, length)
          place += 3
          continue
        }
        const beginning = length
        length = put(field.beforePlain, output, length)
        const valueStart = length
        let seen = plainAtStart[byte] === 1 ? PLAIN : SPECIAL
        let way = ways[byte] as number
        while (way !== END) {
          if (way !== PLAIN) {
            seen |= way
            if ((way & ESCAPED) !== 0) {
              output[length] = escapeByte
              length += 1
            }
          }
          output[length] = byte
          length += 1
          place += 1
          byte = input[place] as number
          way = ways[byte] as number
        }
        if (field.isText) {
          if ((seen & SPECIAL) === 0 && plainAtEnd[input[place - 1] as number] === 1) {
            length = (seen & QUOTED) === 0 ? put(quote, output, length) : putQuotes(output, valueStart, length)
          } else {
            const text = encode(unescaped(input.toString('utf8', start, place)))
            output = withRoom(output, beginning, Buffer.byteLength(text) + growth * (input.length - start))
            length = put(field.before, output, beginning)
            length += output.write(text, length)
          }
        }
        place += 1
      }
      length = put(endOfLine, output, length)
    }
    return { output, length }
  }
}

/** Puts quotes around a value, and returns the place after them. */
function putQuotes(output: Uint8Array, start: number, end: number): number {
  output.copyWithin(start + 1, start, end)
  output[start] = QUOTE
  output[end + 1] = QUOTE
  return end + 2
}

/** Writes some bytes, which are few, and returns the place after them. */
function put(bytes: Uint8Array, output: Uint8Array, length: number): number {
  for (let index = 0; index < bytes.length; index += 1) output[length + index] = bytes[index] as number
  return length + bytes.length
}
