import type { NewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport } from '@pet-store/persistence'
import { amount } from '../messages/amount.ts'
import type { ValidEntry } from './pet-files/entry.ts'
import { type ImportSource, type Reading, readPets } from './pet-files/read-pets.ts'

/**
 * With fewer pets in a transaction, the database would spend too much of its time on commits. With
 * more, other writers would wait too long, because SQLite has one writer at a time.
 */
const PETS_PER_TRANSACTION = 5_000

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
  let firstLine = 0
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
      if (pets.length === 0) firstLine = line
      lines = line
      if (pets.push(pet) === PETS_PER_TRANSACTION) await store('unfinished')
    }
  }

  async function store(state: PetImport['state']): Promise<void> {
    const to = checked && { id, sha256: checked.sha256, state, lines, changedAt: new Date() }
    try {
      await target.addPets(pets, to && { to, ...(from && { from }) })
    } catch (error) {
      // Such as a rule of the database: one of these pets is against it.
      if (pets.length === 0) throw error
      const { message } = error as Error
      throw new Error(`Storing lines ${firstLine} to ${lines} failed: ${message}`, { cause: error })
    }
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
