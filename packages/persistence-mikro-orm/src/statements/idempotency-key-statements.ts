import type { SqlDialect } from './sql-dialect.ts'
import { statementsOf } from './statement.ts'

/** An idempotency key as a row, in the order of the columns below. */
export type IdempotencyKeyColumns = readonly [
  owner: string,
  key: string,
  fingerprint: string,
  createdAt: bigint,
  petId: bigint,
]

export const IDEMPOTENCY_KEY_COLUMNS = 'owner, key, fingerprint, created_at, pet_id'

/**
 * The statements that read idempotency keys. Each adapter has its own for storing a key with its
 * pet, and what is not on the hot path goes through the ORM.
 */
export function idempotencyKeyStatements(dialect: SqlDialect) {
  const statement = statementsOf(dialect)
  return {
    /** Also returns the time of the database's clock, with which the age of the key is found. */
    findKey: statement<
      [owner: string, key: string],
      readonly [fingerprint: string, createdAt: bigint, petId: bigint, nowMs: bigint]
    >(
      'idempotency_key_find',
      `select fingerprint, created_at, pet_id, ${dialect.nowMs}
      from idempotency_key
      where owner = $1 and key = $2`,
    ),

    listKeys: statement<[limit: number], IdempotencyKeyColumns>(
      'idempotency_key_list',
      `select ${IDEMPOTENCY_KEY_COLUMNS}
      from idempotency_key
      order by owner, key
      limit $1`,
    ),

    listKeysAfter: statement<[owner: string, key: string, limit: number], IdempotencyKeyColumns>(
      'idempotency_key_list_after',
      `select ${IDEMPOTENCY_KEY_COLUMNS}
      from idempotency_key
      where (owner, key) > ($1, $2)
      order by owner, key
      limit $3`,
    ),
  }
}
