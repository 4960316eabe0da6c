import type { NewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport, PetImportProgress } from '@pet-store/persistence'
import { type EarlierImports, type FilePosition, findEarlierImports } from './earlier-import.ts'
import type { EntryReader } from './entry.ts'
import { type ImportOptions, type ImportResult, importPets } from './import-pets.ts'
import type { Format, PetFile } from './pet-file.ts'
import { MEGABYTES, type Meter, type Progress } from './progress.ts'
import { createCsvReader } from './read-csv.ts'
import { readLines } from './read-lines.ts'
import { createNdjsonReader } from './read-ndjson.ts'

/** The reader of each format. */
export const READERS = { csv: createCsvReader, ndjson: createNdjsonReader } as const satisfies Record<
  Format,
  () => EntryReader
>

export interface FileImport extends Pick<ImportOptions, 'onError' | 'report'> {
  readonly file: PetFile
  readonly format: Format
  /** Stores every line, even of a file that was imported before. */
  readonly again: boolean
  /** Continues an interrupted import of a file that had the same first lines. */
  readonly continues: boolean
  readonly progress: Progress
}

/** Where pets are stored. Without `readPetImports` nothing is known about earlier imports. */
type Target = Pick<BulkAccess, 'addPets'> & Partial<Pick<BulkAccess, 'readPetImports'>>

/**
 * Imports a file so that each of its pets is stored once, however often the import is interrupted and repeated. Without
 * a target the pets are only validated. Rejects if the file was imported before, or begins like one whose import was
 * interrupted; `again` and `continues` say what is meant.
 */
export async function importFile(options: FileImport, target?: Target): Promise<ImportResult> {
  const { file, format, onError, report, progress } = options
  const transactions = target === undefined ? withoutTransactions : collectPets(target)
  const { progressTo, earlierLines } = await openProgress(options, target)
  const meter = progress.begin(target ? 'Importing' : 'Reading', file.bytes, 0, MEGABYTES)
  try {
    const result = await importPets({
      source: readLines(metered(file.open(), meter)),
      reader: READERS[format](),
      onError,
      earlierLines,
      collect: transactions.collect,
      store: (position) => transactions.store(progressTo(position, 'unfinished')),
      report,
    })
    if (result.end !== undefined && result.stored + result.storedEarlier > 0) {
      await transactions.store(progressTo(result.end, 'finished'))
    }
    return result
  } finally {
    meter.end()
  }
}

/** With fewer in a transaction, the database would spend more of its time on committing. */
const PETS_PER_TRANSACTION = 5_000
interface Transactions extends Pick<ImportOptions, 'collect'> {
  store(progress?: PetImportProgress): Promise<void>
}

const withoutTransactions: Transactions = { collect: () => false, async store() {} }

function collectPets(target: Target): Transactions {
  let pets: NewPet[] = []
  return {
    collect(more) {
      pets = pets.concat(more)
      return pets.length >= PETS_PER_TRANSACTION
    },
    store(progress) {
      const stored = pets
      pets = []
      return target.addPets(stored, progress)
    },
  }
}

interface ImportProgress {
  readonly earlierLines: number
  /** Returns how the import advances to a position; `undefined` if nothing is known of it. */
  progressTo(position: FilePosition, state: PetImport['state']): PetImportProgress | undefined
}

async function openProgress(options: FileImport, target?: Target): Promise<ImportProgress> {
  const { file } = options
  // What can be read only once cannot be recognised when it comes again.
  if (file.bytes === undefined || target?.readPetImports === undefined) {
    return { earlierLines: 0, progressTo: () => undefined }
  }
  const imports = await target.readPetImports()
  const found = await findEarlierImports(file.open(), imports, new Date())
  let from = importToContinue(found, options)
  const id = from?.id ?? (imports.at(-1)?.id ?? 0n) + 1n
  const { fileSha256 } = found
  return {
    earlierLines: from?.lines ?? 0,
    progressTo({ lines, sha256 }, state) {
      const to = { id, sha256, fileSha256, state, lines, changedAt: new Date() }
      const progress = { to, ...(from && { from }) }
      from = to
      return progress
    },
  }
}

function importToContinue(
  { finished, interrupted, similar }: EarlierImports,
  { again, continues }: FileImport,
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

async function* metered(source: AsyncIterable<Buffer>, meter: Meter): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    yield piece
    meter.advance(piece.length)
  }
}
