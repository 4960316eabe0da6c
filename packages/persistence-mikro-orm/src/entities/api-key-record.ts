import { defineEntity, p } from '@mikro-orm/core'
import { SCOPES } from '@pet-store/access'
import type { StoredApiKey } from '@pet-store/persistence'
import { Int64Type } from './int64-type.ts'

/** Every combination of scopes as the column contains it: in the order of `SCOPES`, separated by spaces. */
const SCOPE_TEXTS = [SCOPES[0], SCOPES[1], SCOPES.join(' ')] as const

/**
 * The table of API keys: their hashes, never the keys. Times are milliseconds since 1970.
 * A successor points to the key that it replaces, so that a rotation is one insert, and `unique` lets only one succeed.
 */
export const ApiKeyRecord = defineEntity({
  name: 'ApiKeyRecord',
  tableName: 'api_key',
  properties: {
    id: p.text().primary(),
    sha256: p.text().unique('api_key_sha256'),
    name: p.text(),
    // Becomes a check constraint too. A new scope therefore needs a migration, and a test says so.
    scopes: p.enum(SCOPE_TEXTS),
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
