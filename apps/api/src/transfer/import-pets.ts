import type { NewPet } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { type Entry, type ReadEntries, UnreadableFileError } from './entry.ts'
import { openNote, type Repetition } from './import-note.ts'
import type { Format, PetFile } from './pet-file.ts'
import { MEGABYTES, type Meter, type Progress } from './progress.ts'
import { readCsv } from './read-csv.ts'
import { readWholeLines } from './read-file.ts'
import { readNdjson } from './read-ndjson.ts'

/** The reader of each format. */
export const READERS = { csv: readCsv, ndjson: readNdjson } as const satisfies Record<Format, ReadEntries>

/** With fewer in a transaction, a database would spend more of its time on committing; SQLite has one writer at a time. */
const PETS_PER_TRANSACTION = 5_000
/** The same for long names: the length of all names in a transaction. */
const NAME_LENGTH_PER_TRANSACTION = 256 * 1024

export interface ImportOptions extends Repetition {
  readonly file: PetFile
  readonly format: Format
  /** Whether a rejected entry ends the import. */
  readonly onError: 'stop' | 'skip'
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
  // What can be read only once cannot be recognised when it comes again.
  const imports = file.bytes === undefined ? undefined : await target?.readPetImports?.()
  const note = imports && (await openNote(file, imports, options))
  const meter = progress.begin(target ? 'Importing' : 'Reading', file.bytes, MEGABYTES)
  const counts = { stored: 0, storedEarlier: 0, rejected: 0 }
  let pets: NewPet[] = []
  let nameLength = 0
  /** The last line of the last pet. */
  let line = 0

  async function store(): Promise<void> {
    if (pets.length > 0) await target?.addPets(pets, await note?.advanceTo(line))
    pets = []
    nameLength = 0
  }

  /** Returns why the import ended before the end of the file. */
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
          nameLength += entry.pet.name.length
          if (pets.push(entry.pet) >= PETS_PER_TRANSACTION || nameLength >= NAME_LENGTH_PER_TRANSACTION) await store()
        }
      }
    }
    return undefined
  }

  try {
    const stopReason = await importAll().catch((error: unknown) => {
      if (error instanceof UnreadableFileError) return error.message
      throw error
    })
    await store()
    if (stopReason !== undefined) return { ...counts, stopReason }
    if (note !== undefined && counts.stored + counts.storedEarlier > 0) await target?.addPets([], await note.finish())
    return counts
  } finally {
    meter.end()
    await note?.close()
  }
}

async function* measured(source: AsyncIterable<Buffer>, meter: Meter): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    yield piece
    meter.advance(piece.length)
  }
}
