import type { NewApiKey } from '@pet-store/access'
import type { IdempotencyKey, NewPet, Pet, PetId, PetQuery } from '@pet-store/domain'
import type { PersistenceOptions } from './persistence.ts'

/**
 * Reads and writes everything that one database holds, many items at a time: for import, export,
 * copy and seed. Pets that are read, or written with their ids, are not validated. Opening changes
 * what its mode allows, as opening an adapter does; if it rejects, nothing is left open. The caller
 * that opened it closes it.
 *
 * Every function that writes does so completely or not at all, whatever the number of items; the
 * program writes 5,000 at a time. Several calls may come at the same time, and write the same items
 * in different orders; one that is rejected undoes nothing that another has written. If the
 * capability `severalProcesses` is true, other processes may add pets at the same time, and calls
 * of an open adapter that need what is being written wait for it.
 *
 * While the database is unavailable every function rejects, within a minute. A rejected write is
 * never repeated; if its error has the `outcome` `not_stored`, nothing of it is stored.
 */
export interface BulkAccess {
  /** Returns the exact number of pets that are stored, however they came there. */
  countPets(): Promise<number>
  /**
   * Returns the next pets by ascending id, exactly as they are stored: `limit` of them, or fewer at
   * the end.
   */
  readPets(query: PetQuery): Promise<readonly Pet[]>
  /**
   * Stores pets under the ids that they have, in any order. Rejects if one of the ids is taken. No
   * new pet gets one of these ids, even before `movePetIdsPast`: its add gets another one, or
   * rejects with the outcome `not_stored`.
   */
  writePets(pets: readonly Pet[]): Promise<void>
  /**
   * Stores new pets under new ids, in this order, in one transaction with the progress of their
   * import. Rejects if the import has advanced beyond `from`, if it belongs to another file, or if
   * another import was begun with its id.
   */
  addPets(pets: readonly NewPet[], progress?: PetImportProgress): Promise<void>

  /** Returns every import, by ascending id. */
  readPetImports(): Promise<readonly PetImport[]>
  /** Stores imports; one with an id that is taken replaces the stored one. */
  writePetImports(imports: readonly PetImport[]): Promise<void>

  /**
   * Returns idempotency keys ordered by the text of their owner, then of their key, as the database
   * orders texts: at most `limit`, beginning after the key `after`. Expired keys may be among them.
   */
  readIdempotencyKeys(
    limit: number,
    after?: IdempotencyKeyId,
  ): Promise<readonly StoredIdempotencyKey[]>
  /** Stores idempotency keys; one whose owner and key are taken replaces the stored one. */
  writeIdempotencyKeys(keys: readonly StoredIdempotencyKey[]): Promise<void>

  /** Returns every API key, by ascending id. */
  readApiKeys(): Promise<readonly StoredApiKey[]>
  /**
   * Stores API keys; one with an id that is taken replaces the stored one. Rejects if another key
   * has its hash.
   */
  writeApiKeys(keys: readonly StoredApiKey[]): Promise<void>

  /**
   * Returns the last id that was assigned to a pet, even if that pet was deleted; 0 if none was.
   * Ids that were skipped count as assigned: those that ids were moved past, and those that a
   * database skips when it is killed.
   */
  lastPetId(): Promise<PetId>
  /** Makes new pets get greater ids than this one. Never lowers the next id. */
  movePetIdsPast(id: PetId): Promise<void>

  /** Releases what this opening has. Called when every call has ended. */
  close(): Promise<void>
}

/**
 * Opens a database for bulk access. A persistence module that offers it exports it as
 * `openBulkAccess`.
 */
export type OpenBulkAccess = (options: PersistenceOptions) => Promise<BulkAccess>

/** A file whose lines were imported, all of them or the first ones. Its name is not stored. */
export interface PetImport {
  /** Increases with every import. */
  readonly id: bigint
  /** SHA-256 of the whole file in hexadecimal: a changed file is another file. */
  readonly sha256: string
  readonly state: PetImportState
  /** The number of the line on which the last stored pet begins. */
  readonly lines: number
  /** The time of the last transaction. */
  readonly changedAt: Date
}

/** Whether all lines of a file are stored, or only its first ones. */
export const PET_IMPORT_STATES = ['unfinished', 'finished'] as const
export type PetImportState = (typeof PET_IMPORT_STATES)[number]

/** How an import advances; its id stays the same. Without `from` the import begins. */
export interface PetImportProgress {
  readonly from?: PetImport
  readonly to: PetImport
}

/** Identifies an idempotency key. */
export type IdempotencyKeyId = Pick<IdempotencyKey, 'owner' | 'key'>

/** An idempotency key with the pet that was created with it; `at` is the time of its first use. */
export interface StoredIdempotencyKey extends IdempotencyKey {
  /** The time of its first use. */
  readonly at: Date
  readonly petId: PetId
}

/**
 * An API key with everything that is stored of it. `expiresAt` is its own end: the one that
 * `ApiKeyRepository` returns is earlier if its successor has an `overlapUntil` before it.
 */
export interface StoredApiKey extends NewApiKey {
  readonly revokedAt?: Date
  readonly revokedBy?: string
  readonly lastUsedAt?: Date
  /** The id of the key that this one replaces. */
  readonly replaces?: string
  /** Until when the replaced key stays valid. */
  readonly overlapUntil?: Date
}
