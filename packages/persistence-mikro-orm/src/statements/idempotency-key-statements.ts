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
 * The reads of idempotency keys. How one is stored together with its pet is up to each adapter, and
 * what is not hot goes through the ORM.
 */
export function idempotencyKeyStatements(dialect: SqlDialect) {
  const statement = statementsOf(dialect)
  return {
    /** With the time by the clock of the database. */
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
