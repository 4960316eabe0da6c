/** With fewer in a transaction, a database would spend more of its time on committing; SQLite has one writer at a time. */
const PETS = 5_000
/** The same for long names: the length of all names in a transaction. */
const NAME_LENGTH = 256 * 1024

/** Stores pets in transactions of a bounded size, one after the other. More are collected while some are stored. */
export interface PetStore<Pet> {
  /** Returns whether enough were collected for a transaction. */
  collect(pet: Pet): boolean
  /** Begins to store what was collected, once the transaction before has ended. Rejects if that one failed. */
  store(): Promise<void>
  /** Stores what was collected, and resolves when everything is stored. */
  end(): Promise<void>
  /** Resolves when no transaction runs any more, whatever became of it. */
  idle(): Promise<void>
}

export function createPetStore<Pet extends { readonly name: string }>(
  write: (pets: readonly Pet[]) => Promise<void>,
): PetStore<Pet> {
  let pets: Pet[] = []
  let nameLength = 0
  let storing: Promise<void> = Promise.resolve()
  return {
    collect(pet) {
      pets.push(pet)
      nameLength += pet.name.length
      return pets.length >= PETS || nameLength >= NAME_LENGTH
    },
    async store() {
      await storing
      if (pets.length === 0) return
      storing = write(pets)
      // It rejects for the next `await`.
      storing.catch(() => {})
      pets = []
      nameLength = 0
    },
    async end() {
      await this.store()
      await storing
    },
    idle: () => storing.catch(() => {}),
  }
}
