import { BigIntType, defineEntity, type EntityProperty, type Platform, p } from '@mikro-orm/core'
import { SqlitePlatform } from '@mikro-orm/sql'
import { SCOPES } from '@pet-store/access'
import { PET_STATUSES, type Pet, type PetInput, type PetStatus } from '@pet-store/domain'
import {
  PET_IMPORT_STATES,
  type PetImport,
  type StoredApiKey,
  type StoredIdempotencyKey,
} from '@pet-store/persistence'
import { asIs, type Codec, integer, text } from './codec.ts'

/**
 * A column of 64-bit integers, exact in both directions: `bigint` in the program, never a rounded
 * `number`.
 */
class Int64Type extends BigIntType<'bigint'> {
  constructor() {
    super('bigint')
  }

  override getColumnType(prop: EntityProperty, platform: Platform): string {
    // SQLite's `integer` has 64 bits already, is the only type that AUTOINCREMENT takes, and its
    // strict tables know no `bigint`. With any other name the schema check would always report a
    // difference.
    return platform instanceof SqlitePlatform ? 'integer' : super.getColumnType(prop, platform)
  }
}

/**
 * The table of pets: the hot statements are compiled from it, and the migrated schema is compared
 * with it. Pets never leave as entities.
 */
export const PetRecord = defineEntity({
  name: 'PetRecord',
  tableName: 'pet',
  properties: {
    id: p.type(Int64Type).$type<bigint>().primary().autoincrement(),
    name: p.text(),
    categoryId: p.type(Int64Type).$type<bigint>(),
    // Becomes a check constraint too. A new status therefore needs a migration, and a test says so.
    status: p.enum(PET_STATUSES).nullable(),
  } satisfies Record<keyof Pet, unknown>,
  // A list with a status walks this index in the order of ids; a list without one walks the primary
  // key.
  indexes: [{ name: 'pet_status_id', properties: ['status', 'id'] }],
})

export const NEW_PET_CODEC: Codec<PetInput> = { name: text, categoryId: integer, status: asIs() }

export const PET_CODEC: Codec<Pet> = { id: integer, ...NEW_PET_CODEC }

/** The columns of a new pet, in the order of its codec; `null` for a field that is absent. */
export type NewPetColumns = readonly [name: string, categoryId: bigint, status: PetStatus | null]

/** A pet as a statement returns it. */
export type PetColumns = readonly [id: bigint, ...NewPetColumns]

/**
 * The table of idempotency keys, apart from that of pets so that a distributed engine can spread it
 * by its primary key. It has no foreign key for the same reason.
 */
export const IdempotencyKeyRecord = defineEntity({
  name: 'IdempotencyKeyRecord',
  tableName: 'idempotency_key',
  properties: {
    owner: p.text().primary(),
    key: p.text().primary(),
    fingerprint: p.text(),
    petId: p.type(Int64Type).$type<bigint>(),
    // Milliseconds since 1970, of the first use.
    at: p.type(Int64Type).$type<bigint>().fieldName('created_at'),
  } satisfies Record<keyof StoredIdempotencyKey, unknown>,
  indexes: [{ name: 'idempotency_key_created_at', properties: ['at'] }],
})

/**
 * The table of API keys: their hashes, never the keys. Times are milliseconds since 1970. A
 * successor points to the key that it replaces, so that a rotation is one insert, and `unique` lets
 * only one succeed.
 */
export const ApiKeyRecord = defineEntity({
  name: 'ApiKeyRecord',
  tableName: 'api_key',
  properties: {
    id: p.text().primary(),
    sha256: p.text().unique('api_key_sha256'),
    name: p.text(),
    // Every combination, in the order of `SCOPES`, separated by spaces. Becomes a check constraint
    // too, as the status does.
    scopes: p.enum([SCOPES[0], SCOPES[1], SCOPES.join(' ')]),
    createdAt: p.type(Int64Type).$type<bigint>(),
    createdBy: p.text().nullable(),
    expiresAt: p.type(Int64Type).$type<bigint>().nullable(),
    revokedAt: p.type(Int64Type).$type<bigint>().nullable(),
    revokedBy: p.text().nullable(),
    lastUsedAt: p.type(Int64Type).$type<bigint>().nullable(),
    replaces: p.text().nullable().unique('api_key_replaces'),
    // Until when the replaced key stays valid.
    overlapUntil: p.type(Int64Type).$type<bigint>().nullable(),
  } satisfies Record<keyof StoredApiKey, unknown>,
})

/** The table of imports. No row is ever removed. */
export const PetImportRecord = defineEntity({
  name: 'PetImportRecord',
  tableName: 'pet_import',
  properties: {
    // Assigned by the importer: one more than the last that it has seen, so that of two that begin
    // at once only one can.
    id: p.type(Int64Type).$type<bigint>().primary().autoincrement(false),
    sha256: p.text(),
    state: p.enum(PET_IMPORT_STATES),
    lines: p.type(Int64Type).$type<bigint>(),
    // Milliseconds since 1970.
    changedAt: p.type(Int64Type).$type<bigint>(),
  } satisfies Record<keyof PetImport, unknown>,
})
