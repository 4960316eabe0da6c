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

/** What a call has resulted in, or whether it is unknown what one that has failed has done. */
type CallOutcome<Result> = { readonly result: Result } | { readonly isUnknown: boolean }

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
    const read = await this.#outcomeOf('read imports', this.#bulk.readPetImports())
    if (!('result' in read)) return
    const [from] = read.result
    const intendedPets = Array.from({ length: random.integer(1, 8) }, this.#options.intend)
    this.#intendedPets.push(...intendedPets)
    const lines = (from?.lines ?? 0) + intendedPets.length
    const to: PetImport = { ...BEGINNING, lines, changedAt: new Date(Date.now()) }
    const pets = intendedPets.map((intended) => validateNewPet(inputOf(intended)))
    const adding = this.#bulk.addPets(pets, { to, ...(from && { from }) })
    const added = await this.#outcomeOf(`import to ${lines}`, adding)
    for (const intended of intendedPets) {
      if ('result' in added) intended.isStored = true
      else if (added.isUnknown) intended.isUnknown = true
      else intended.isDenied = true
    }
    ledger.note(`import to ${lines}: ${'result' in added}`)
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

  async #outcomeOf<Result>(what: string, call: Promise<Result>): Promise<CallOutcome<Result>> {
    const { ledger, mayBeInternal } = this.#options
    try {
      return { result: await ledger.call(what, CALL_LIMIT_MS, call) }
    } catch (error) {
      ledger.note(`${what}: ${String(error)}`)
      if (isPetError(error)) return { isUnknown: error.outcome === 'unknown' }
      const { code, message } = error as Error & { readonly code?: string }
      const isExpected = message.startsWith('Another import') || mayBeInternal(code ?? '')
      if (!isExpected) ledger.violate(`${what}: ${code} ${(error as Error).stack}`)
      return { isUnknown: false }
    }
  }
}
