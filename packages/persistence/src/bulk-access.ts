import type { NewApiKey } from '@pet-store/access'
import type { IdempotencyKey, NewPet, Pet, PetId, PetQuery } from '@pet-store/domain'
import type { PersistenceOptions } from './persistence.ts'

/**
 * Everything that one database holds, many items at a time: for import, export, copy and seed. Pets
 * that are read or written under their ids are not validated. Opening changes what its mode allows,
 * as that of an adapter does. The caller that opened it closes it.
 *
 * Every function that writes does so completely or not at all, whatever the number of items: the
 * program writes 5,000 at a time. Adapters add pets meanwhile, if several processes may.
 *
 * While the database is unavailable every function rejects, and nothing that was rejected is
 * repeated.
 */
export interface BulkAccess {
  countPets(): Promise<number>
  /**
   * Returns the next pets by ascending id, exactly as they are stored: `limit` of them, or fewer at
   * the end.
   */
  readPets(query: PetQuery): Promise<readonly Pet[]>
  /** Stores pets under the ids that they have. Rejects if one of the ids is taken. */
  writePets(pets: readonly Pet[]): Promise<void>
  /**
   * Stores new pets under new ids, in this order, together with the progress of the import that
   * they belong to. Rejects if the import is no longer where `from` says, if it belongs to another
   * file, or if another import was begun with its id.
   */
  addPets(pets: readonly NewPet[], progress?: PetImportProgress): Promise<void>

  /** Returns every import, by ascending id. */
  readPetImports(): Promise<readonly PetImport[]>
  /** Stores imports; one with an id that is taken replaces the stored one. */
  writePetImports(imports: readonly PetImport[]): Promise<void>

  /**
   * Returns idempotency keys ordered by the text of their owner, then of their key, at most
   * `limit`, from after this one on. Expired ones may be among them.
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
   */
  lastPetId(): Promise<PetId>
  /** Makes new pets get greater ids than this one. Never lowers the next id. */
  movePetIdsPast(id: PetId): Promise<void>

  close(): Promise<void>
}

/**
 * Opens a database for bulk access. A persistence module that offers it exports it as
 * `openBulkAccess`.
 */
export type OpenBulkAccess = (options: PersistenceOptions) => Promise<BulkAccess>

/**
 * A file whose lines are stored, all of them or the first ones. Identified by its content, not by
 * its name.
 */
export interface PetImport {
  /** Increases with every import. */
  readonly id: bigint
  /** SHA-256 of the whole file in hexadecimal: a changed file is another one. */
  readonly sha256: string
  readonly state: PetImportState
  /** Where the last stored pet begins. */
  readonly lines: number
  /** The time of the last transaction. */
  readonly changedAt: Date
}

/** Whether all lines of a file are stored, or only its first ones. */
export const PET_IMPORT_STATES = ['unfinished', 'finished'] as const
export type PetImportState = (typeof PET_IMPORT_STATES)[number]

/** How an import advances, keeping its id. Without `from` it begins. */
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
