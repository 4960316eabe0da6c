import { defineEntity, p } from '@mikro-orm/core'
import type { StoredIdempotencyKey } from '@pet-store/persistence'
import { Int64Type } from './column-types.ts'

/**
 * The table of idempotency keys. It is separate from the pets and has no foreign key, so that a
 * distributed engine can spread it by its primary key.
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
