import type { Cancellation, PetId } from '@pet-store/domain'
import type { NewPetColumns } from '../entities/pet-columns.ts'

/**
 * Adds pets. Each adapter brings its own, because databases differ in what one statement and one
 * transaction can do.
 */
export interface PetWriter {
  /** The number of pets whose insert has not been sent yet. */
  readonly waiting: number
  /**
   * Resolves to the new id after the commit, when the pet is stored durably. An add that rejects
   * has changed nothing, even when others run at the same time, unless it rejects with
   * `persistence_unavailable` and the outcome `unknown`. An add that is cancelled before it is sent
   * rejects with the outcome `not_stored`.
   */
  add(pet: NewPetColumns, cancellation?: Cancellation): Promise<PetId>
  /**
   * Adds a pet and its idempotency key, both or neither. Resolves to `undefined` if the key of this
   * owner is taken.
   */
  addWithKey(
    key: NewKeyColumns,
    pet: NewPetColumns,
    cancellation?: Cancellation,
  ): Promise<PetId | undefined>
  /**
   * Waits for every transaction that may be adding a pet with this id, and returns whether no pet
   * has the id then. Absent in a database where a pet is visible as soon as its idempotency key is,
   * because the same transaction adds both.
   */
  isDeleted?(id: PetId): Promise<boolean>
}

/**
 * A new idempotency key as a row, without the id of its pet. If `at` is `null` it gets the time of
 * the database's clock.
 */
export type NewKeyColumns = readonly [
  owner: string,
  key: string,
  fingerprint: string,
  at: bigint | null,
]
