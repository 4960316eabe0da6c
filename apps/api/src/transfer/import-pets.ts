import { createHash } from 'node:crypto'
import type { NewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport } from '@pet-store/persistence'
import {
  type ReadEntries,
  type RejectedEntry,
  UnreadableFileError,
  type ValidEntry,
} from './entry.ts'
import type { Format, PetFile } from './pet-file.ts'
import { amount, MEGABYTES, showProgress } from './progress.ts'
import { readCsv } from './read-csv.ts'
import { readNdjson } from './read-ndjson.ts'
import { readText } from './read-text.ts'

/** The reader of each format. */
export const READERS = { csv: readCsv, ndjson: readNdjson } as const satisfies Record<
  Format,
  ReadEntries
>

/**
 * With fewer pets in a transaction, the database would spend too much of its time on commits. With
 * more, other writers would wait too long, because SQLite has one writer at a time.
 */
const PETS_PER_TRANSACTION = 5_000

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

/** The number of pets that this run has stored so far, and that of an earlier run. */
export interface ImportCounts {
  stored: number
  storedEarlier: number
}

interface ImportOptions {
  /**
   * The result of checking the file. Absent for a source that can be read only once: it is
   * validated while it is stored, and not recognised when it is imported again.
   */
  readonly checked?: Reading | undefined
  /** Store every pet, even of a file that was imported before. */
  readonly again: boolean
  readonly counts: ImportCounts
}

/**
 * Stores the pets of a file. If the file was checked, each pet is stored once, however often the
 * import is interrupted and repeated, because each transaction also stores how far the import is.
 * Rejects if the file was already imported, unless `again`.
 */
export async function importPets(
  source: ImportSource,
  target: Pick<BulkAccess, 'addPets' | 'readPetImports'>,
  { checked, again, counts }: ImportOptions,
): Promise<Reading> {
  const imports = await target.readPetImports()
  let from = checked && importToContinue(imports, checked.sha256, again)
  const id = from?.id ?? (imports.at(-1)?.id ?? 0n) + 1n
  const storedLines = from?.lines ?? 0
  let pets: NewPet[] = []
  let lines = storedLines

  // The invalid lines of a checked file were reported already.
  const reading = await readPets(
    checked ? { ...source, onError: 'skip', report() {} } : source,
    'Importing',
    add,
  )
  if (checked !== undefined && checked.sha256 !== reading.sha256) {
    const stored = amount(counts.stored, 'pet')
    throw new Error(`The file was changed during the import, which has stored ${stored} of it.`)
  }
  if (pets.length + counts.stored + counts.storedEarlier > 0) await store('finished')
  return reading

  async function add({ line, pet }: ValidEntry): Promise<void> {
    if (line <= storedLines) counts.storedEarlier += 1
    else {
      lines = line
      if (pets.push(pet) === PETS_PER_TRANSACTION) await store('unfinished')
    }
  }

  async function store(state: PetImport['state']): Promise<void> {
    const to = checked && { id, sha256: checked.sha256, state, lines, changedAt: new Date() }
    await target.addPets(pets, to && { to, ...(from && { from }) })
    from = to
    counts.stored += pets.length
    pets = []
  }
}

/** Finds an interrupted import of this file. Throws if all of it was imported, unless `again`. */
function importToContinue(
  imports: readonly PetImport[],
  sha256: string,
  again: boolean,
): PetImport | undefined {
  const same = imports.filter((one) => one.sha256 === sha256)
  const unfinished = same.find(({ state }) => state === 'unfinished')
  const [finished] = same
  if (unfinished !== undefined || finished === undefined || again) return unfinished
  const day = finished.changedAt.toISOString().slice(0, 10)
  throw new Error(`This file was imported on ${day}. To store its pets once more, use --again.`)
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
