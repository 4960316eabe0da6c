import { isUtf8 } from 'node:buffer'
import { BrokenFile } from './entry.ts'

/** As much as a request may hold: a pet that cannot come over HTTP does not come in by a file either. */
export const MAX_LINE_BYTES = 102_400

const LINE_FEED = 10
const BYTE_ORDER_MARK = '\uFEFF'

/**
 * The lines of a text, many at a time, without the line feeds at their ends; what stands before a line feed, a carriage
 * return too, belongs to the line. Holds one piece of the source and one line at most, however long the text is.
 * Throws `BrokenFile` where it is not UTF-8, begins with a byte order mark, or has a line that is too long.
 */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  let rest: Buffer = Buffer.alloc(0)
  let first = 1
  for await (const piece of source) {
    const end = piece.lastIndexOf(LINE_FEED)
    if (end === -1) {
      rest = Buffer.concat([rest, piece])
      if (rest.length > MAX_LINE_BYTES) throw tooLong(first)
      continue
    }
    // No part of a character is a line feed, so these are whole characters.
    const lines = decode(Buffer.concat([rest, piece.subarray(0, end)]), first)
    first += lines.length
    // A copy, so that a few bytes do not keep the whole piece.
    rest = Buffer.from(piece.subarray(end + 1))
    yield lines
  }
  if (rest.length > 0) yield decode(rest, first)
}

function decode(bytes: Buffer, first: number): readonly string[] {
  const lines = bytes.toString().split('\n')
  if (!isUtf8(bytes)) throw new BrokenFile(first + firstBroken(bytes), 'is not UTF-8')
  if (first === 1 && lines[0]?.startsWith(BYTE_ORDER_MARK)) {
    throw new BrokenFile(1, 'begins with a byte order mark; save the file as UTF-8 without one')
  }
  const long = lines.findIndex(isTooLong)
  if (long !== -1) throw tooLong(first + long)
  return lines
}

/** How many lines of these bytes are good before the first that is not. */
function firstBroken(bytes: Buffer): number {
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
