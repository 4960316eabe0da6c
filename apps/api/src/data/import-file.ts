import type { NewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport } from '@pet-store/persistence'
import { findEarlierImport } from './earlier-import.ts'
import type { FilePlace } from './file-prefix.ts'
import type { Format } from './formats.ts'
import { type ImportOptions, type ImportResult, importPets } from './import-pets.ts'
import { type PetFile, READERS } from './pet-file.ts'
import { MEGABYTES, type Meter, type Progress } from './progress.ts'
import { readLines } from './read-lines.ts'

export interface FileImport extends Pick<ImportOptions, 'onError' | 'report'> {
  readonly file: PetFile
  readonly format: Format
  /** Imports a whole file a second time. */
  readonly again: boolean
  readonly progress: Progress
}

type Target = Pick<BulkAccess, 'addPets' | 'readPetImports'>

/**
 * Imports a file so that each pet of it is stored once, however often the import is ended and begun anew. Without a
 * target nothing is stored. Rejects where the same file was imported to its end, unless it is to be imported again.
 */
export async function importFile(options: FileImport, target?: Target): Promise<ImportResult> {
  const { file, format, onError, report, progress } = options
  const imports = target && file.bytes !== undefined ? await target.readPetImports() : []
  const earlier = await findEarlier(options, imports)
  const store = target === undefined ? storeNothing : storeInto(target, file, imports, earlier)
  const meter = progress.begin(target ? 'Importing' : 'Reading', file.bytes, 0, MEGABYTES)
  try {
    const result = await importPets({
      source: readLines(metered(file.open(), meter)),
      reader: READERS[format](),
      onError,
      earlierLines: earlier?.state === 'unfinished' ? earlier.lines : 0,
      store,
      report,
    })
    if (result.end !== undefined && result.stored + result.storedEarlier > 0) await store([], result.end, 'finished')
    return result
  } finally {
    meter.end()
  }
}

async function findEarlier({ file, again }: FileImport, imports: readonly PetImport[]): Promise<PetImport | undefined> {
  const earlier = imports.length > 0 ? await findEarlierImport(readLines(file.open()), imports) : undefined
  if (earlier?.state === 'finished' && !again) {
    const day = earlier.changedAt.toISOString().slice(0, 10)
    throw new Error(`This file was imported already, on ${day}. To store its pets once more, say --again.`)
  }
  return earlier
}

type Store = (pets: readonly NewPet[], place: FilePlace, state?: PetImport['state']) => Promise<void>

async function storeNothing(): Promise<void> {}

function storeInto(
  target: Target,
  file: PetFile,
  imports: readonly PetImport[],
  earlier: PetImport | undefined,
): Store {
  // What can be read only once cannot be recognised when it comes again.
  if (file.bytes === undefined) return (pets) => target.addPets(pets)
  const id = earlier?.id ?? (imports.at(-1)?.id ?? 0n) + 1n
  let from = earlier
  return (pets, { lines, sha256 }, state = 'unfinished') => {
    const to = { id, sha256, state, lines, changedAt: new Date() }
    const step = { to, ...(from && { from }) }
    from = to
    return target.addPets(pets, step)
  }
}

async function* metered(source: AsyncIterable<Buffer>, meter: Meter): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    yield piece
    meter.advance(piece.length)
  }
}
