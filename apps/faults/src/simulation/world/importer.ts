import { isPetError, validateNewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport } from '@pet-store/persistence'
import type { Random } from '@pet-store/testing'
import { CALL_LIMIT_MS } from './clients/use-case-caller.ts'
import { inputOf } from './intended-pets.ts'
import type { IntendedPet, StoredPet, WorldLedger } from './world-ledger.ts'

const BEGINNING: Omit<PetImport, 'changedAt'> = {
  id: 1n,
  sha256: 'f'.repeat(64),
  state: 'unfinished',
  lines: 0,
}

export interface ImporterOptions {
  readonly random: Random
  readonly ledger: WorldLedger
  /** Makes a pet that belongs to the import. */
  readonly intend: () => IntendedPet
  readonly mayBeInternal: (code: string) => boolean
}

/** A program that imports a file, some pets at a time, or several programs at once. */
export class Importer {
  readonly #bulk: BulkAccess
  readonly #options: ImporterOptions
  readonly #intendedPets: IntendedPet[] = []

  constructor(bulk: BulkAccess, options: ImporterOptions) {
    this.#bulk = bulk
    this.#options = options
  }

  /** Finds out how far the import is, and continues it. */
  async advance(): Promise<void> {
    const { random, ledger } = this.#options
    const imports = await this.#resultOf('read imports', this.#bulk.readPetImports())
    if (imports === undefined) return
    const [from] = imports
    const intendedPets = Array.from({ length: random.integer(1, 8) }, this.#options.intend)
    this.#intendedPets.push(...intendedPets)
    const lines = (from?.lines ?? 0) + intendedPets.length
    const to: PetImport = { ...BEGINNING, lines, changedAt: new Date(Date.now()) }
    const pets = intendedPets.map((intended) => validateNewPet(inputOf(intended)))
    const adding = this.#bulk.addPets(pets, { to, ...(from && { from }) })
    const isUnknown = { value: false }
    const added = await this.#resultOf(
      `import to ${lines}`,
      adding.then(() => true),
      isUnknown,
    )
    for (const intended of intendedPets) {
      if (added) intended.isStored = true
      else if (isUnknown.value) intended.isUnknown = true
      else intended.isDenied = true
    }
    ledger.note(`import to ${lines}: ${added === true}`)
  }

  /** Checks that as many pets of the import are stored as it says. */
  async compare(stored: readonly StoredPet[]): Promise<void> {
    const [last] = await this.#bulk.readPetImports()
    const names = new Set(this.#intendedPets.map(({ name }) => name))
    const count = stored.filter(({ name }) => names.has(name)).length
    if (count !== (last?.lines ?? 0))
      this.#options.ledger.violate(`${count} pets of an import are stored, of ${last?.lines}`)
  }

  close(): Promise<void> {
    return this.#bulk.close()
  }

  /** What a call results in; `undefined` if it has failed. */
  async #resultOf<Result>(
    what: string,
    call: Promise<Result>,
    isUnknown = { value: false },
  ): Promise<Result | undefined> {
    const { ledger, mayBeInternal } = this.#options
    try {
      return await ledger.call(what, CALL_LIMIT_MS, call)
    } catch (error) {
      ledger.note(`${what}: ${String(error)}`)
      if (isPetError(error)) {
        isUnknown.value = error.outcome === 'unknown'
        return undefined
      }
      const { code, message } = error as Error & { readonly code?: string }
      const isExpected = message.startsWith('Another import') || mayBeInternal(code ?? '')
      if (!isExpected) ledger.violate(`${what}: ${code} ${(error as Error).stack}`)
      return undefined
    }
  }
}
