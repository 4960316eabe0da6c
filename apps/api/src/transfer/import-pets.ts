import type { NewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport, PetImportProgress } from '@pet-store/persistence'
import { type EarlierImports, findEarlierImports, walkFile } from './earlier-import.ts'
import { type Entry, type ReadEntries, UnreadableFileError } from './entry.ts'
import type { Format, PetFile } from './pet-file.ts'
import { MEGABYTES, type Meter, type Progress } from './progress.ts'
import { readCsv } from './read-csv.ts'
import { readWholeLines } from './read-file.ts'
import { readNdjson } from './read-ndjson.ts'
import { createPetStore } from './store-pets.ts'

/** The reader of each format. */
export const READERS = { csv: readCsv, ndjson: readNdjson } as const satisfies Record<Format, ReadEntries>

export interface ImportOptions {
  readonly file: PetFile
  readonly format: Format
  /** Whether a rejected entry ends the import. */
  readonly onError: 'stop' | 'skip'
  /** Stores every line, even of a file that was imported before. */
  readonly again: boolean
  /** Continues an interrupted import of a file that had the same first lines. */
  readonly continues: boolean
  readonly report: (rejected: RejectedEntry) => void
  readonly progress: Progress
}

export type RejectedEntry = Extract<Entry, { readonly reason: string }>

/** Where pets are stored. Without `readPetImports` nothing is known about earlier imports. */
export type ImportTarget = Pick<BulkAccess, 'addPets'> & Partial<Pick<BulkAccess, 'readPetImports'>>

export interface ImportResult {
  readonly stored: number
  /** Pets that an earlier run stored. */
  readonly storedEarlier: number
  readonly rejected: number
  /** Why the import ended before the end of the file. */
  readonly stopReason?: string
}

/**
 * Imports a file so that each of its pets is stored once, however often the import is interrupted and repeated. Without
 * a target the pets are only validated. Rejects if the file was imported before, or begins like one whose import was
 * interrupted; `again` and `continues` say what is meant. Pets that are stored stay stored when a later line is invalid.
 */
export async function importPets(options: ImportOptions, target?: ImportTarget): Promise<ImportResult> {
  const { file, format, onError, report, progress } = options
  const note = await openNote(options, target)
  const meter = progress.begin(target ? 'Importing' : 'Reading', file.bytes, MEGABYTES)
  const counts = { stored: 0, storedEarlier: 0, rejected: 0 }
  let stopReason: string | undefined
  /** The last line of the last pet. */
  let line = 0
  const store = createPetStore<NewPet>(async (pets) => {
    await target?.addPets(pets, await note?.advanceTo(line))
  })

  async function importAll(): Promise<string | undefined> {
    for await (const entries of READERS[format](readWholeLines(measured(file.open(), meter)))) {
      for (const entry of entries) {
        // An earlier run has stored the pets of these lines, and skipped the invalid ones.
        const isEarlier = entry.line <= (note?.storedLines ?? 0)
        if ('reason' in entry) {
          report(entry)
          counts.rejected += 1
          if (onError === 'stop' && !isEarlier) return `Stopped at line ${entry.line}.`
        } else if (isEarlier) {
          counts.storedEarlier += 1
        } else {
          line = entry.lastLine
          counts.stored += 1
          if (store.collect(entry.pet)) await store.store()
        }
      }
    }
    return undefined
  }

  try {
    stopReason = await importAll().catch((error: unknown) => {
      if (error instanceof UnreadableFileError) return error.message
      throw error
    })
    await store.end()
    const isImported = stopReason === undefined && counts.stored + counts.storedEarlier > 0
    if (isImported && note !== undefined) await target?.addPets([], await note.finish())
    return { ...counts, ...(stopReason !== undefined && { stopReason }) }
  } finally {
    await store.idle()
    meter.end()
    await note?.close()
  }
}

/** What the database is told about the import, together with the pets. */
interface ImportNote {
  /** The number of lines whose pets an earlier run has stored. */
  readonly storedLines: number
  advanceTo(line: number): Promise<PetImportProgress>
  finish(): Promise<PetImportProgress>
  close(): Promise<void>
}

async function openNote(options: ImportOptions, target?: ImportTarget): Promise<ImportNote | undefined> {
  const { file } = options
  // What can be read only once cannot be recognised when it comes again.
  if (file.bytes === undefined || target?.readPetImports === undefined) return undefined
  const imports = await target.readPetImports()
  const found = await findEarlierImports(file.open(), imports, new Date())
  let from = importToContinue(found, options)
  const id = from?.id ?? (imports.at(-1)?.id ?? 0n) + 1n
  // Reads beside the import, as far as that has come: to keep what the import reads would take as much memory as the file.
  const walk = walkFile(file.open())

  async function advance(line: number, state: PetImport['state']): Promise<PetImportProgress> {
    const position = await walk.advanceTo(line)
    const to = { id, ...position, fileSha256: found.fileSha256, state, changedAt: new Date() }
    const progress = { to, ...(from && { from }) }
    from = to
    return progress
  }

  return {
    storedLines: from?.lines ?? 0,
    advanceTo: (line) => advance(line, 'unfinished'),
    finish: () => advance(Number.POSITIVE_INFINITY, 'finished'),
    close: walk.close,
  }
}

function importToContinue(
  { finished, interrupted, similar }: EarlierImports,
  { again, continues }: ImportOptions,
): PetImport | undefined {
  if (interrupted !== undefined) return interrupted
  if (again) return undefined
  if (finished !== undefined) {
    throw new Error(`This file was imported on ${day(finished)}. To store its pets once more, use --again.`)
  }
  if (continues) {
    if (similar !== undefined) return similar
    throw new Error('No interrupted import begins like this file. Leave out --continue to store all of its lines.')
  }
  if (similar === undefined) return undefined
  const stored = similar.lines === 1 ? 'first line' : `first ${similar.lines.toLocaleString('en')} lines`
  throw new Error(
    `The ${stored} of this file were stored on ${day(similar)} by an import that was interrupted, and the file has changed since. ` +
      'To store only the lines after them, use --continue; to store every line, use --again.',
  )
}

function day({ changedAt }: PetImport): string {
  return changedAt.toISOString().slice(0, 10)
}

async function* measured(source: AsyncIterable<Buffer>, meter: Meter): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    yield piece
    meter.advance(piece.length)
  }
}
