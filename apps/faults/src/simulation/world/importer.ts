import { isPetError, validateNewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport } from '@pet-store/persistence'
import type { Random } from '@pet-store/testing'
import type { Record, StoredPet, Wish } from './record.ts'
import { CALL_LIMIT_MS } from './use-case-caller.ts'
import { inputOf } from './wishes.ts'

const BEGINNING: Omit<PetImport, 'changedAt'> = {
  id: 1n,
  sha256: 'f'.repeat(64),
  state: 'unfinished',
  lines: 0,
}

export interface ImporterOptions {
  readonly random: Random
  readonly record: Record
  /** Makes a wish that belongs to the import. */
  readonly wish: () => Wish
  readonly mayBeInternal: (code: string) => boolean
}

/** A program that imports a file, some pets at a time, or several programs at once. */
export class Importer {
  readonly #bulk: BulkAccess
  readonly #options: ImporterOptions
  readonly #wishes: Wish[] = []

  constructor(bulk: BulkAccess, options: ImporterOptions) {
    this.#bulk = bulk
    this.#options = options
  }

  /** Finds out how far the import is, and continues it. */
  async advance(): Promise<void> {
    const { random, record } = this.#options
    const imports = await this.#resultOf('read imports', this.#bulk.readPetImports())
    if (imports === undefined) return
    const [from] = imports
    const wishes = Array.from({ length: random.integer(1, 8) }, this.#options.wish)
    this.#wishes.push(...wishes)
    const lines = (from?.lines ?? 0) + wishes.length
    const to: PetImport = { ...BEGINNING, lines, changedAt: new Date(Date.now()) }
    const pets = wishes.map((wish) => validateNewPet(inputOf(wish)))
    const adding = this.#bulk.addPets(pets, { to, ...(from && { from }) })
    const isUnknown = { value: false }
    const added = await this.#resultOf(
      `import to ${lines}`,
      adding.then(() => true),
      isUnknown,
    )
    for (const wish of wishes) {
      if (added) wish.isStored = true
      else if (isUnknown.value) wish.isUnknown = true
      else wish.isDenied = true
    }
    record.note(`import to ${lines}: ${added === true}`)
  }

  /** Checks that as many pets of the import are stored as it says. */
  async compare(stored: readonly StoredPet[]): Promise<void> {
    const [last] = await this.#bulk.readPetImports()
    const names = new Set(this.#wishes.map(({ name }) => name))
    const count = stored.filter(({ name }) => names.has(name)).length
    if (count !== (last?.lines ?? 0))
      this.#options.record.violate(`${count} pets of an import are stored, of ${last?.lines}`)
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
    const { record, mayBeInternal } = this.#options
    try {
      return await record.call(what, CALL_LIMIT_MS, call)
    } catch (error) {
      record.note(`${what}: ${String(error)}`)
      if (isPetError(error)) {
        isUnknown.value = error.outcome === 'unknown'
        return undefined
      }
      const { code, message } = error as Error & { readonly code?: string }
      const isExpected = message.startsWith('Another import') || mayBeInternal(code ?? '')
      if (!isExpected) record.violate(`${what}: ${code} ${(error as Error).stack}`)
      return undefined
    }
  }
}
