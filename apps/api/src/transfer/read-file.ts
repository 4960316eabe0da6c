import { isUtf8 } from 'node:buffer'
import { UnreadableFileError } from './entry.ts'

/** The limit of a request body: a pet that is too large for HTTP is too large for a file. */
export const MAX_LINE_BYTES = 102_400

const [LINE_FEED, CARRIAGE_RETURN] = [10, 13]
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/**
 * Returns the text of a file in pieces that end with a line feed, the last one too: without a byte order mark, and with
 * line feeds where the file has only carriage returns. Holds one piece of the source and one line at most. Throws
 * `UnreadableFileError` if the text is not UTF-8 or a line is too long.
 */
export async function* readWholeLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  let lines = 0
  for await (const text of withLineFeeds(source)) {
    const end = text.lastIndexOf(LINE_FEED) + 1
    // Pieces are shorter than a line may be, so only a line that began in an earlier one can be too long.
    const lineEnd = text.indexOf(LINE_FEED)
    if (rest.length + (lineEnd === -1 ? text.length : lineEnd) > MAX_LINE_BYTES) {
      throw new UnreadableFileError(`Line ${lines + 1} has more than ${MAX_LINE_BYTES.toLocaleString('en')} bytes.`)
    }
    if (end > 0) {
      const whole = Buffer.concat([rest, text.subarray(0, end)])
      assertUtf8(whole, lines)
      lines += countLines(whole)
      yield whole
      rest = Buffer.alloc(0)
    }
    // A copy, because the source may use the memory of a piece again.
    rest = Buffer.concat([rest, text.subarray(end)])
  }
  if (rest.length === 0) return
  assertUtf8(rest, lines)
  yield Buffer.concat([rest, Buffer.of(LINE_FEED)])
}

/** Drops a byte order mark. If the first line ends with a carriage return alone, all of them become line feeds. */
async function* withLineFeeds(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let beginning: Buffer = Buffer.alloc(0)
  let hasOnlyReturns: boolean | undefined
  const converted = (text: Buffer): Buffer =>
    hasOnlyReturns ? Buffer.from(text.map((byte) => (byte === CARRIAGE_RETURN ? LINE_FEED : byte))) : text
  for await (const piece of source) {
    if (hasOnlyReturns !== undefined) {
      yield converted(piece)
      continue
    }
    beginning = Buffer.concat([beginning, piece])
    // What follows a carriage return tells which line end it is.
    const end = beginning.findIndex((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN)
    if ((end === -1 || end === beginning.length - 1) && beginning.length <= MAX_LINE_BYTES) continue
    hasOnlyReturns = beginning[end] === CARRIAGE_RETURN && beginning[end + 1] !== LINE_FEED
    yield converted(withoutMark(beginning))
  }
  if (hasOnlyReturns === undefined && beginning.length > 0) yield withoutMark(beginning)
}

function withoutMark(text: Buffer): Buffer {
  const { length } = BYTE_ORDER_MARK
  return text.subarray(0, length).equals(BYTE_ORDER_MARK) ? text.subarray(length) : text
}

export function countLines(text: Buffer): number {
  let count = 0
  for (let end = text.indexOf(LINE_FEED); end !== -1; end = text.indexOf(LINE_FEED, end + 1)) count += 1
  return count
}

/** No part of a character is a line feed, so whole lines are whole characters. */
function assertUtf8(text: Buffer, linesBefore: number): void {
  if (isUtf8(text)) return
  let line = linesBefore + 1
  for (let start = 0; ; line += 1) {
    const end = text.indexOf(LINE_FEED, start) + 1
    if (end === 0 || !isUtf8(text.subarray(start, end))) break
    start = end
  }
  throw new UnreadableFileError(`Line ${line} is not UTF-8; save the file as UTF-8 (in Excel: "CSV UTF-8").`)
}
