import { defineEntity, p } from '@mikro-orm/core'
import { SCOPES } from '@pet-store/access'
import { Int64Type } from './int64-type.ts'

/** Every combination of scopes as the column holds it: in the order of the list, with spaces between. */
const SCOPE_TEXTS = [SCOPES[0], SCOPES[1], SCOPES.join(' ')] as const

/**
 * The table of API keys as MikroORM knows it. Never the keys: their hashes. Times are milliseconds since 1970.
 * A successor points to the key that it replaces, so that a rotation is one insert, and `unique` lets only one win.
 */
export const ApiKeyRecord = defineEntity({
  name: 'ApiKeyRecord',
  tableName: 'api_key',
  properties: {
    id: p.text().primary(),
    sha256: p.text().unique('api_key_sha256'),
    name: p.text(),
    // Becomes a check constraint as well. A new scope therefore needs a migration, and a test says so.
    scopes: p.enum(SCOPE_TEXTS),
    createdAt: p.type(Int64Type).$type<bigint>(),
    expiresAt: p.type(Int64Type).$type<bigint>().nullable(),
    revokedAt: p.type(Int64Type).$type<bigint>().nullable(),
    lastUsedAt: p.type(Int64Type).$type<bigint>().nullable(),
    replaces: p.text().nullable().unique('api_key_replaces'),
    // Until when the replaced key lives on.
    overlapUntil: p.type(Int64Type).$type<bigint>().nullable(),
  },
})
