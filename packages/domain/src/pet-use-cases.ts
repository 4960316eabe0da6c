import { fingerprintOf } from './fingerprint.ts'
import type { IdempotencyKey } from './idempotency-key.ts'
import { type ListPets, listPetsOf } from './list-pets.ts'
import { type Pet, type PetId, type PetInput, validateNewPet } from './pet.ts'
import { PetError } from './pet-error.ts'
import type { Cancellation, CreatedPet, PetRepository } from './pet-repository.ts'

/** Everything that can be done with pets. */
export interface PetUseCases {
  /**
   * Adds a pet and returns it with its id. Rejects with `pet_invalid`, naming the field and the
   * rule. Two equal inputs create two pets, except with the same idempotency key: then both return
   * the same pet, for 24 hours. The same key with another input rejects with
   * `idempotency_key_reused`, a key with an invalid `at` with a `TypeError`.
   */
  readonly createPet: (input: PetInput, options?: CreatePetOptions) => Promise<CreatedPet>
  /** Finds one pet. Rejects with `pet_not_found`. */
  readonly getPet: (id: PetId) => Promise<Pet>
  readonly listPets: ListPets
}

/** How a pet is created. */
export interface CreatePetOptions {
  /**
   * Makes the creation safe to repeat; see `IdempotencyKey`. The fingerprint is made from the pet.
   */
  readonly idempotencyKey?: Omit<IdempotencyKey, 'fingerprint'> | undefined
  /**
   * Aborted when the caller no longer waits; a pet that was not sent to the database by then is not
   * stored.
   */
  readonly cancellation?: Cancellation | undefined
}

/** The operations over one repository. */
export function createPetUseCases(pets: PetRepository): PetUseCases {
  return {
    async createPet(input, { idempotencyKey, cancellation } = {}) {
      const pet = validateNewPet(input)
      if (idempotencyKey === undefined)
        return { pet: await pets.add(pet, cancellation), isReplay: false }
      if (Number.isNaN(idempotencyKey.at?.getTime()))
        throw new TypeError('idempotencyKey.at must be a valid date')
      return pets.addWithKey(
        pet,
        { ...idempotencyKey, fingerprint: fingerprintOf(pet) },
        cancellation,
      )
    },

    async getPet(id) {
      const pet = await pets.find(id)
      if (pet === undefined) throw new PetError('pet_not_found', `There is no pet ${id}.`)
      return pet
    },

    listPets: listPetsOf(pets),
  }
}
