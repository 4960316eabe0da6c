import { defineEntity, p } from '@mikro-orm/core'
import type { StoredIdempotencyKey } from '@pet-store/persistence'
import { Int64Type } from './column-types.ts'

/**
 * The table of idempotency keys. It is separate from the pets and has no foreign key, so that a
 * distributed engine can spread it by its primary key.
 */
export const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKeyEntity',
  tableName: 'idempotency_key',
  properties: {
    owner: p.text().primary(),
    key: p.text().primary(),
    fingerprint: p.text(),
    petId: p.type(Int64Type).$type<bigint>(),
    // The time of the first use, in milliseconds since 1970.
    at: p.type(Int64Type).$type<bigint>().fieldName('created_at'),
  } satisfies Record<keyof StoredIdempotencyKey, unknown>,
  indexes: [{ name: 'idempotency_key_created_at', properties: ['at'] }],
})
