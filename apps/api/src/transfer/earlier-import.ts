import { createHash } from 'node:crypto'
import type { PetImport } from '@pet-store/persistence'
import { countLines, readWholeLines } from './read-file.ts'

/** A position in a file, identified by everything before it. */
interface FilePosition {
  /** The number of lines before it. */
  readonly lines: number
  /** SHA-256 of these lines, each with a line feed at its end, even the last one. */
  readonly sha256: string
}

/** Goes through a file once. */
export interface FileWalk {
  /** Goes on to the end of this line, or to that of the file, and returns the position there. */
  advanceTo(line: number): Promise<FilePosition>
  close(): Promise<void>
}

const LINE_FEED = 10

export function walkFile(source: AsyncIterable<Buffer>): FileWalk {
  const pieces = readWholeLines(source)
  const hash = createHash('sha256')
  let lines = 0
  let rest: Buffer = Buffer.alloc(0)
  return {
    async advanceTo(line) {
      while (lines < line) {
        if (rest.length === 0) {
          const { value, done } = await pieces.next()
          if (done) break
          rest = value
        }
        const wanted = lengthOf(rest, line - lines)
        hash.update(rest.subarray(0, wanted))
        lines += countLines(rest.subarray(0, wanted))
        rest = rest.subarray(wanted)
      }
      return { lines, sha256: hash.copy().digest('hex') }
    },
    async close() {
      await pieces.return(undefined)
    },
  }
}

/** The number of bytes of the first lines. */
function lengthOf(text: Buffer, lines: number): number {
  let end = 0
  for (let count = 0; count < lines && end < text.length; count += 1) end = text.indexOf(LINE_FEED, end) + 1
  return end
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
  const walk = walkFile(source)
  const begun: PetImport[] = []
  for (const one of imports.toSorted((a, b) => a.lines - b.lines)) {
    const { lines, sha256 } = await walk.advanceTo(one.lines)
    if (one.state === 'unfinished' && lines === one.lines && sha256 === one.sha256) begun.unshift(one)
  }
  const { sha256: fileSha256 } = await walk.advanceTo(Number.POSITIVE_INFINITY)
  const finished = imports.find(({ state, sha256 }) => state === 'finished' && sha256 === fileSha256)
  const interrupted = begun.find((one) => one.fileSha256 === fileSha256)
  const oldest = now.getTime() - SIMILAR_MAX_AGE_MS
  const similar = begun.find((one) => one.changedAt.getTime() > oldest)
  return {
    fileSha256,
    ...(finished && { finished }),
    ...(interrupted && { interrupted }),
    ...(similar && { similar }),
  }
}
