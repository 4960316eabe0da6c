import { createHash } from 'node:crypto'
import { MEGABYTES, showProgress } from '../../messages/progress.ts'
import {
  type ReadEntries,
  type RejectedEntry,
  UnreadableFileError,
  type ValidEntry,
} from './entry.ts'
import type { Format, PetFile } from './pet-file.ts'
import { readCsv } from './read-csv.ts'
import { readNdjson } from './read-ndjson.ts'
import { readText } from './read-text.ts'

/** What to read, and what to do about invalid entries. */
export interface ImportSource {
  readonly file: PetFile
  readonly format: Format
  /** Whether a rejected entry ends the import. */
  readonly onError: 'stop' | 'skip'
  readonly report: (rejected: RejectedEntry) => void
}

/** The result of reading a file. */
export interface Reading {
  /** The number of valid pets. */
  readonly pets: number
  readonly rejected: number
  /** Why reading stopped before the end of the file; absent if it did not. */
  readonly stopReason?: string
  /** SHA-256 of the text, without a byte order mark and with a line feed at its end. */
  readonly sha256: string
}

/**
 * Reads a file once and validates every entry. Calls `onPet` for each valid one, and waits for it.
 * Progress is shown as `what`.
 */
export async function readPets(
  { file, format, onError, report }: ImportSource,
  what: string,
  onPet?: (entry: ValidEntry) => Promise<void> | void,
): Promise<Reading> {
  const progress = showProgress(what, file.bytes, MEGABYTES)
  const hash = createHash('sha256')
  let pets = 0
  let rejected = 0
  const stopReason = await readEntries()
    .catch((error) => {
      if (error instanceof UnreadableFileError) return error.message
      throw error
    })
    .finally(progress.end)
  return {
    pets,
    rejected,
    sha256: hash.digest('hex'),
    ...(stopReason !== undefined && { stopReason }),
  }

  async function readEntries(): Promise<string | undefined> {
    for await (const entries of READERS[format](observed(readText(file.open())))) {
      for (const entry of entries) {
        if ('pet' in entry) {
          pets += 1
          await onPet?.(entry)
        } else {
          rejected += 1
          report(entry)
          if (onError === 'stop') return stoppedAt(entry)
        }
      }
    }
    return undefined
  }

  function stoppedAt({ line }: RejectedEntry): string {
    return `Stopped at line ${line}: correct it, or import the others with --on-error skip.`
  }

  async function* observed(text: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const piece of text) {
      hash.update(piece)
      yield piece
      progress.advance(Buffer.byteLength(piece))
    }
  }
}

/** The reader of each format. */
export const READERS = { csv: readCsv, ndjson: readNdjson } as const satisfies Record<
  Format,
  ReadEntries
>
