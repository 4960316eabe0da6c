import { createHash } from 'node:crypto'
import type { PetImport } from '@pet-store/persistence'

/** A position in a file, identified by everything before it. */
export interface FilePosition {
  /** The number of lines before it. */
  readonly lines: number
  /** SHA-256 of these lines, each with a line feed at its end, even the last one. */
  readonly sha256: string
}

/** Advances through a file line by line. */
export interface FilePrefix {
  readonly lines: number
  add(lines: readonly string[]): void
  position(): FilePosition
}

export function createFilePrefix(): FilePrefix {
  const hash = createHash('sha256')
  let count = 0
  return {
    get lines() {
      return count
    },
    add(lines) {
      if (lines.length === 0) return
      hash.update(`${lines.join('\n')}\n`)
      count += lines.length
    },
    position: () => ({ lines: count, sha256: hash.copy().digest('hex') }),
  }
}

/** What the database knows about a file. */
export interface EarlierImports {
  /** SHA-256 of all lines of the file. */
  readonly fileSha256: string
  /** An import of the whole file. */
  readonly finished?: PetImport
  /** An interrupted import of this very file. */
  readonly interrupted?: PetImport
  /** An interrupted import of a file that had the same first lines, and has changed since or is another one. */
  readonly similar?: PetImport
}

/** Beyond this age, an interrupted import of another version of the file is ignored. */
const SIMILAR_MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000

/** Finds earlier imports of a file by its content; its name does not matter. Reads the file to its end. */
export async function findEarlierImports(
  source: AsyncIterable<Buffer>,
  imports: readonly PetImport[],
  now: Date,
): Promise<EarlierImports> {
  const { fileSha256, prefixes } = await sumFile(source, new Set(imports.map(({ lines }) => lines)))
  const finished = imports.find(({ state, sha256 }) => state === 'finished' && sha256 === fileSha256)
  const [longest, ...others] = imports
    .filter(({ state, lines, sha256 }) => state === 'unfinished' && prefixes.get(lines) === sha256)
    .toSorted((one, other) => other.lines - one.lines)
  const interrupted = [longest, ...others].find((one) => one?.fileSha256 === fileSha256)
  const oldest = now.getTime() - SIMILAR_MAX_AGE_MS
  const similar = [longest, ...others].find((one) => one !== undefined && one.changedAt.getTime() > oldest)
  return {
    fileSha256,
    ...(finished && { finished }),
    ...(interrupted && { interrupted }),
    ...(similar && { similar }),
  }
}

const LINE_FEED = 10
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** Sums the bytes of a file as `FilePrefix` sums its lines: without a byte order mark, with a line feed at the end. */
async function sumFile(source: AsyncIterable<Buffer>, lengths: ReadonlySet<number>) {
  const hash = createHash('sha256')
  const prefixes = new Map<number, string>()
  const longest = Math.max(0, ...lengths)
  let lines = 0
  let isLineOpen = false
  // Nothing asks for the lines after the longest prefix, so they are not counted.
  const nextEnd = (piece: Buffer, from: number) => (lines < longest ? piece.indexOf(LINE_FEED, from) : -1)
  const endLine = () => {
    lines += 1
    if (lengths.has(lines)) prefixes.set(lines, hash.copy().digest('hex'))
  }
  for await (const piece of withoutByteOrderMark(source)) {
    let start = 0
    for (let end = nextEnd(piece, 0); end !== -1; end = nextEnd(piece, end + 1)) {
      if (!lengths.has(lines + 1)) {
        lines += 1
        continue
      }
      hash.update(piece.subarray(start, end + 1))
      start = end + 1
      endLine()
    }
    hash.update(piece.subarray(start))
    isLineOpen = piece.length > 0 ? piece.at(-1) !== LINE_FEED : isLineOpen
  }
  if (isLineOpen) {
    hash.update('\n')
    endLine()
  }
  return { fileSha256: hash.digest('hex'), prefixes }
}

/** Drops the mark that some programs put at the beginning of a text. */
export async function* withoutByteOrderMark(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let beginning: Buffer | undefined = Buffer.alloc(0)
  for await (const piece of source) {
    if (beginning === undefined) {
      yield piece
      continue
    }
    beginning = Buffer.concat([beginning, piece])
    if (beginning.length < BYTE_ORDER_MARK.length) continue
    const hasMark = beginning.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    yield hasMark ? beginning.subarray(BYTE_ORDER_MARK.length) : beginning
    beginning = undefined
  }
  if (beginning !== undefined && beginning.length > 0) yield beginning
}
