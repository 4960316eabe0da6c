import type { Once } from './once.ts'
import type { NewPet, Pet, PetId } from './pet.ts'
import type { PetStatus } from './pet-status.ts'

/**
 * Where pets are kept.
 *
 * An adapter keeps these promises when it passes every case of
 * `petRepositoryContract` from `@pet-store/domain-testing`.
 * Pets that come back are detached: changing one changes nothing stored.
 *
 * Where the storage cannot be reached at present, every function rejects with an error whose `code` is
 * `storage_unavailable`: what was asked may be asked again later.
 */
export interface PetRepository {
  /**
   * Stores a pet and returns it with its id. Every field comes back exactly as given.
   * Ids grow and are never given twice, also when many callers add at once.
   * When the promise is kept the pet is stored for good; when it is rejected nothing is stored.
   *
   * With `once`, the first add of an owner and key stores the pet, and for a day every other gives that same pet back,
   * also when they come at the same time. One with another fingerprint is rejected with `creation_key_reused`.
   */
  add(pet: NewPet, once?: Once): Promise<Pet>

  /** The pet with this id, or `undefined`. An unknown id is not an error, anywhere in int64. */
  find(id: PetId): Promise<Pet | undefined>

  /** Pets by ascending id, at most `limit`; see `PetQuery` for what narrows the list. No pets: an empty list. */
  list(query: PetQuery): Promise<readonly Pet[]>
}

/** Which pets a list holds. */
export interface PetQuery {
  /** Only pets with exactly this status; a pet without a status matches none. */
  readonly status?: PetStatus
  /** Only pets with a greater id than this one, whether or not it exists. */
  readonly after?: PetId
  /** At most so many pets; a positive integer. */
  readonly limit: number
}
