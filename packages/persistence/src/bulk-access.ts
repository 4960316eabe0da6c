import type { NewApiKey } from '@pet-store/access'
import type { IdempotencyKey, NewPet, Pet, PetId, PetQuery } from '@pet-store/domain'
import type { PersistenceOptions } from './persistence.ts'

/**
 * Everything that one database holds, many items at a time: for import, export, copy and seed. Pets that are read or
 * written under their ids are not validated. The caller that opened it closes it.
 *
 * Every function that writes does so completely or not at all.
 */
export interface BulkAccess {
  countPets(): Promise<number>
  /** Returns pets by ascending id, at most `limit`, exactly as they are stored. */
  readPets(query: PetQuery): Promise<readonly Pet[]>
  /** Stores pets under the ids that they have. Rejects if one of the ids is taken. */
  writePets(pets: readonly Pet[]): Promise<void>
  /**
   * Does the same as `readPets` and returns lines, in UTF-8, as PostgreSQL's COPY writes them: the fields in the order of
   * `PET_LINE_FIELDS` with tabs between them, a line feed after the last one, integers in decimal, `\N` for an absent
   * field. In names a backslash is `\\`, and backspace, tab, line feed, vertical tab, form feed and carriage return are
   * `\b`, `\t`, `\n`, `\v`, `\f` and `\r`. May return fewer lines than `limit`, so that it holds little memory: only no
   * line is the end. The result may be overwritten by the second call after this one. Absent in an adapter that returns lines no faster than pets.
   */
  readPetLines?(query: PetQuery): Promise<Uint8Array>
  /** Does the same as `writePets` with such lines. Absent in an adapter that stores lines no faster than pets. */
  writePetLines?(lines: Uint8Array): Promise<void>
  /**
   * Does the same as `addPets` with such lines, which have no id, and does not use their memory afterwards. Absent in an
   * adapter that stores lines no faster.
   */
  addPetLines?(lines: Uint8Array, progress?: PetImportProgress): Promise<void>
  /** How many bytes of lines to store at once, at most: more would keep other writers waiting. Absent: as many as are useful. */
  readonly maxStoredBytes?: number
  /**
   * Stores new pets under new ids, in this order, together with the progress of the import that they belong to.
   * Rejects if the import is no longer where `from` says, or another import was begun with its id.
   */
  addPets(pets: readonly NewPet[], progress?: PetImportProgress): Promise<void>

  /** Returns every import, by ascending id. */
  readPetImports(): Promise<readonly PetImport[]>
  /** Stores imports; one with an id that is taken replaces the stored one. */
  writePetImports(imports: readonly PetImport[]): Promise<void>

  /** Returns idempotency keys by owner and key, at most `limit`, from after this one on. Expired ones may be among them. */
  readIdempotencyKeys(limit: number, after?: IdempotencyKeyId): Promise<readonly StoredIdempotencyKey[]>
  /** Stores idempotency keys; one whose owner and key are taken replaces the stored one. */
  writeIdempotencyKeys(keys: readonly StoredIdempotencyKey[]): Promise<void>

  /** Returns every API key, by ascending id. */
  readApiKeys(): Promise<readonly StoredApiKey[]>
  /** Stores API keys. Rejects if an id or a hash is taken. */
  writeApiKeys(keys: readonly StoredApiKey[]): Promise<void>

  /** Returns the last id that was assigned to a pet, even if that pet was deleted; 0 if none was. */
  lastPetId(): Promise<PetId>
  /** Makes new pets get greater ids than this one. Never lowers the next id. */
  movePetIdsPast(id: PetId): Promise<void>

  close(): Promise<void>
}

/** The order of the fields of a pet in a line. A field that is missing here does not compile. */
const PET_LINE_PLACES = { id: 0, name: 1, categoryId: 2, status: 3 } satisfies Record<keyof Pet, number>
export const PET_LINE_FIELDS: readonly (keyof Pet)[] = Object.keys(PET_LINE_PLACES) as (keyof Pet)[]

/** Opens a database for bulk access. A persistence module that offers it exports it as `openBulkAccess`. */
export type OpenBulkAccess = (options: PersistenceOptions) => Promise<BulkAccess>

/** A file whose lines are stored, all of them or the first ones. Identified by its content, never by its name. */
export interface PetImport {
  /** Increases with every import. */
  readonly id: bigint
  /** SHA-256 of the stored lines in hexadecimal, each line with its line feed. */
  readonly sha256: string
  /** The same of all lines that the file had when the import last advanced: a changed file is another one. */
  readonly fileSha256: string
  readonly state: PetImportState
  /** The number of stored lines. */
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
  readonly petId: PetId
}

/** An API key with everything that is stored of it. */
export interface StoredApiKey extends NewApiKey {
  readonly revokedAt?: Date
  readonly revokedBy?: string
  readonly lastUsedAt?: Date
  /** The id of the key that this one replaces. */
  readonly replaces?: string
  /** Until when the replaced key stays valid. */
  readonly overlapUntil?: Date
}
