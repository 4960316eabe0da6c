import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { EntryReader } from './entry.ts'
import { fileError } from './file-error.ts'
import { FORMATS, type Format } from './formats.ts'
import { createCsvReader } from './read-csv.ts'
import { createNdjsonReader } from './read-ndjson.ts'

/** Makes a reader for one file. */
export const READERS = { csv: createCsvReader, ndjson: createNdjsonReader } as const satisfies Record<
  Format,
  () => EntryReader
>

/** Standard input, where the name of a file is asked for. */
const STANDARD_INPUT = '-'
/** How much of a file is read, judged and stored at once; a transaction for less would wait for the disk too often. */
const PIECE_BYTES = 512 * 1024

/** Where pets come from. */
export interface PetFile {
  /** Left out for what can be read only once, and whose length nobody knows. */
  readonly bytes?: number
  /** Reads from the beginning. */
  open(): AsyncIterable<Buffer>
}

/** The format that the name of a file ends in; `undefined` where it ends otherwise. */
export function formatOf(file: string): Format | undefined {
  return FORMATS.find((format) => file.toLowerCase().endsWith(`.${format}`))
}

/** Finds a file. Rejects with a sentence where there is none, or it may not be read. */
export async function findPetFile(file: string): Promise<PetFile> {
  if (file === STANDARD_INPUT) return { open: () => process.stdin }
  try {
    const stats = await stat(file)
    if (stats.isDirectory()) throw new Error('it is a folder')
    const open = () => createReadStream(file, { highWaterMark: PIECE_BYTES })
    return stats.isFile() ? { bytes: stats.size, open } : { open }
  } catch (error) {
    throw fileError('read', file, error as NodeJS.ErrnoException)
  }
}
