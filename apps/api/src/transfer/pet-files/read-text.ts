import { isUtf8 } from 'node:buffer'
import { UnreadableFileError } from './entry.ts'

/** The limit of a request body, so that files have no pets that requests could not have. */
export const MAX_LINE_BYTES = 102_400

/** The end of a line. Some programs write only carriage returns. */
export const LINE_END = /\r\n|\n|\r/

/**
 * Returns the text of a file without a byte order mark, in chunks of whole lines; the last line
 * gets a line end if it has none. Keeps at most one chunk of the source and one line in memory.
 * Throws `UnreadableFileError` if the text is not UTF-8 or a line is too long.
 */
export async function* readText(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let lines = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk])
    if (lines === 0) assertText(bytes)
    const text = bytes.toString('latin1')
    if (text.search(/[\r\n]|$/) > MAX_LINE_BYTES) {
      throw new UnreadableFileError(
        `Line ${lines + 1} has more than ${MAX_LINE_BYTES.toLocaleString('en')} bytes.`,
      )
    }
    // A carriage return at the end is kept, because a line feed may follow.
    const end = Math.max(text.lastIndexOf('\n'), text.slice(0, -1).lastIndexOf('\r')) + 1
    if (end > 0) {
      yield textOf(bytes.subarray(0, end))
      lines += text.slice(0, end).split(LINE_END).length - 1
    }
    rest = bytes.subarray(end)
  }
  if (rest.length > 0) yield textOf(Buffer.concat([rest, Buffer.from('\n')]))

  // In UTF-8 no byte of a longer character is a line end, so whole lines have whole characters.
  function textOf(bytes: Buffer): string {
    if (isUtf8(bytes))
      return lines === 0 ? bytes.toString().replace(/^\ufeff/, '') : bytes.toString()
    const ofLines = bytes.toString('latin1').split(LINE_END)
    const wrong = ofLines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')))
    throw new UnreadableFileError(
      `Line ${lines + wrong + 1} is not UTF-8; save the file as UTF-8 (in Excel: "CSV UTF-8").`,
    )
  }
}

/** What files of other kinds begin with, whatever their names end in. */
const OTHER_KINDS = [
  ['PK\x03\x04', 'The file is a spreadsheet or a ZIP archive; save it as "CSV UTF-8".'],
  ['\x1f\x8b', 'The file is compressed; decompress it first, for example with gunzip.'],
  ['SQLite format 3\0', 'The file is an SQLite database; see pet-store copy --help.'],
] as const

/** Throws `UnreadableFileError` if the first bytes of a file show that it is no text. */
function assertText(bytes: Buffer): void {
  const kind = OTHER_KINDS.find(([start]) => bytes.toString('latin1', 0, 16).startsWith(start))
  if (kind !== undefined) throw new UnreadableFileError(kind[1])
}
