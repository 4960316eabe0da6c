import type { IdempotencyKey } from './idempotency-key.ts'
import type { NewPet, Pet, PetId, PetStatus } from './pet.ts'

/**
 * Stores pets.
 *
 * An adapter fulfils this contract when it passes every case of `petRepositoryContract` from
 * `@pet-store/persistence-testing`. Returned pets are detached: changing one changes nothing
 * stored. Given objects are not changed; they may be frozen.
 *
 * While the database is unavailable every function rejects with `persistenceUnavailable()`, within
 * a few seconds: no wait is without a deadline. Afterwards it works again within a few seconds,
 * however long that took, however many calls were rejected, and even if the connections from before
 * never respond. For `add` and `addWithKey` the `outcome` of the error says whether the pet was
 * stored: see `WriteOutcome`. An add whose outcome is unknown is never repeated.
 */
export interface PetRepository {
  /**
   * Stores a pet and returns it with its id. Every field is returned exactly as given, and no
   * other. The ids that one repository assigns are greater than 0 and increase, and no id is ever
   * reused, even when many callers add at the same time. Another repository on the same database
   * may assign smaller ones later. When the promise resolves the pet is stored durably. When it
   * rejects nothing is stored, unless the error has the outcome `unknown`. When there are no more
   * ids it rejects with `persistence_unavailable`, outcome `not_stored`.
   *
   * A `cancellation` that is aborted before the pet was sent to the database rejects with
   * `persistence_unavailable`, outcome `not_stored`. Later it has no effect.
   */
  add(pet: NewPet, cancellation?: Cancellation): Promise<Pet>

  /**
   * Stores a pet under an idempotency key, as `add` does. The first call with an owner and key
   * stores the pet; for the lifetime of the key every other call returns that same pet, even when
   * all come at the same time. A repeat does not extend the lifetime. A call with another
   * fingerprint rejects with `idempotency_key_reused`. Once that pet was deleted, the key is new
   * again, for any fingerprint. A rejected call does not use up the key, and a cancelled one
   * changes nothing for others at the same time.
   */
  addWithKey(pet: NewPet, key: IdempotencyKey, cancellation?: Cancellation): Promise<CreatedPet>

  /**
   * Returns the pet with this id, or `undefined`. An unknown id is not an error, anywhere in int64.
   */
  find(id: PetId): Promise<Pet | undefined>

  /**
   * Returns pets by ascending id, at most `limit`. No matching pets: an empty list.
   *
   * Contains every pet whose `add` resolved before the call. Pets that are added at the same time
   * may become visible out of order: one list can contain id 5 but not yet id 4, and a later list
   * both. Following the ids page by page therefore visits each pet that existed at the start
   * exactly once, but not necessarily each pet that was added meanwhile.
   */
  list(query: PetQuery): Promise<readonly Pet[]>
}

/** A record instead of an array, so that the compiler reports a missing function. */
const FUNCTIONS: Readonly<Record<keyof PetRepository, true>> = {
  add: true,
  addWithKey: true,
  find: true,
  list: true,
}

/** The names of the functions of `PetRepository`. */
export const PET_REPOSITORY_FUNCTIONS: readonly (keyof PetRepository)[] = Object.keys(
  FUNCTIONS,
) as (keyof PetRepository)[]

/**
 * Wraps a repository so that every function is called through `call`: for measuring the calls, for
 * instance. `call` gets the name of the function, and `work`, which calls it.
 */
export function wrapPetRepository(
  pets: PetRepository,
  call: <Result>(name: keyof PetRepository, work: () => Promise<Result>) => Promise<Result>,
): PetRepository {
  const wrapped = PET_REPOSITORY_FUNCTIONS.map((name) => {
    const run = pets[name].bind(pets) as (...parameters: unknown[]) => Promise<unknown>
    return [name, (...parameters: unknown[]) => call(name, () => run(...parameters))]
  })
  return Object.fromEntries(wrapped)
}

/** A pet that was stored, by this call or by an earlier one with the same idempotency key. */
export interface CreatedPet {
  readonly pet: Pet
  /** Whether an earlier call stored the pet. */
  readonly isReplay: boolean
}

/** Tells whether the caller still waits for the result. An `AbortSignal` is one. */
export interface Cancellation {
  readonly aborted: boolean
}

/** Which pets a list contains. */
export interface PetQuery {
  /** Only pets with exactly this status; a pet without a status matches none. */
  readonly status?: PetStatus | undefined
  /** Only pets with a greater id than this one, whether or not it exists. */
  readonly after?: PetId | undefined
  /** The maximum number of pets; a positive integer. */
  readonly limit: number
}
