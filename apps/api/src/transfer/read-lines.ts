import { isUtf8 } from 'node:buffer'
import { withoutByteOrderMark } from './earlier-import.ts'
import { BrokenFile } from './entry.ts'

/** The limit of a request body: a pet that is too large for HTTP is too large for a file. */
export const MAX_LINE_BYTES = 102_400

const LINE_FEED = 10

/**
 * Returns the lines of a text, many at a time, without the line feeds at their ends and without a byte order mark at the
 * beginning; a carriage return before a line feed belongs to the line. Holds one piece of the source and one line at
 * most, however long the text is. Throws `BrokenFile` if the text is not UTF-8 or a line is too long.
 */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  let rest: Buffer = Buffer.alloc(0)
  let first = 1
  for await (const piece of withoutByteOrderMark(source)) {
    const end = piece.lastIndexOf(LINE_FEED)
    if (end === -1) {
      rest = Buffer.concat([rest, piece])
      if (rest.length > MAX_LINE_BYTES) throw tooLong(first)
      continue
    }
    // No part of a character is a line feed, so these are whole characters.
    const lines = decode(Buffer.concat([rest, piece.subarray(0, end)]), first)
    first += lines.length
    // A copy, so that a few bytes do not keep the whole piece in memory.
    rest = Buffer.from(piece.subarray(end + 1))
    yield lines
  }
  if (rest.length > 0) yield decode(rest, first)
}

const NOT_UTF_8 = 'is not UTF-8; save the file as UTF-8 (in Excel: "CSV UTF-8")'

function decode(bytes: Buffer, first: number): readonly string[] {
  const lines = bytes.toString().split('\n')
  if (!isUtf8(bytes)) throw new BrokenFile(first + validLinesOf(bytes), NOT_UTF_8)
  const long = lines.findIndex(isTooLong)
  if (long !== -1) throw tooLong(first + long)
  return lines
}

/** Returns the number of valid lines before the first invalid one. */
function validLinesOf(bytes: Buffer): number {
  let count = 0
  let start = 0
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return count
    start = end + 1
    count += 1
  }
}

/** A unit of a string takes one to three bytes, so most lines need no counting. */
function isTooLong(line: string): boolean {
  return line.length * 3 > MAX_LINE_BYTES && Buffer.byteLength(line) > MAX_LINE_BYTES
}

function tooLong(line: number): BrokenFile {
  return new BrokenFile(line, `has more than ${MAX_LINE_BYTES.toLocaleString('en')} bytes`)
}
