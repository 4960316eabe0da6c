import type { Cancellation, PetId } from '@pet-store/domain'
import type { NewPetColumns } from '../entities/pet-columns.ts'

/**
 * Adds pets. Each adapter brings its own, because databases differ in what one statement and one
 * transaction can do.
 */
export interface PetWriter {
  /** The number of pets that wait for those before them. */
  readonly waiting: number
  /**
   * Resolves to the new id after the commit, as durable as the database can. A rejected add has
   * changed nothing, even when others run at the same time, unless the outcome of its
   * `persistence_unavailable` is `unknown`. One that is cancelled before it is sent rejects with
   * `not_stored`.
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
   * Whether no pet has this id once everything that may be adding it has ended. Absent in a
   * database where a pet is visible as soon as its key is, which the same transaction has added.
   */
  isDeleted?(id: PetId): Promise<boolean>
}

/**
 * A new idempotency key as a row, without the id of its pet. Without a time it gets the time of the
 * database.
 */
export type NewKeyColumns = readonly [
  owner: string,
  key: string,
  fingerprint: string,
  at: bigint | null,
]
