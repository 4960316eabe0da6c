import type { BulkAccess } from '@pet-store/persistence'
import { type BulkInsert, createBulkAccess, type SqlValues } from '@pet-store/persistence-mikro-orm'
import type { ClientBase } from 'pg'
import { openPostgresDatabase } from './database/database.ts'
import { POSTGRES_DIALECT } from './database/dialect.ts'
import { unavailableOr } from './database/failures.ts'
import { LAST_PET_ID, PET_IDS } from './database/pet-id-sequence.ts'
import type { PostgresOptions } from './database/settings.ts'
import { runOnPool } from './driver/pool-statements.ts'
import { createPostgresStatementRunner } from './driver/statement-runner.ts'
import { inWriteTransaction } from './driver/transaction.ts'
import { migrateIfAllowed } from './migrations.ts'
import { createPostgresEntityManagers, createPostgresOrm, entityManagerOn } from './orm.ts'

/**
 * How long a page of pets may take. When a server does not respond for this long, the command ends
 * with an error.
 */
const PAGE_TIMEOUT_MS = 60_000

/** More ids than pets are added by others during one statement. */
const MANY_IDS = 10_000

/** The bytes of `move`: any number that other programs on the same database do not use. */
const MOVE_LOCK = 0x6d6f7665

/**
 * Skips few ids by taking them, because others may take ids beyond them meanwhile, which `setval`
 * would assign once more. A connection takes first what is left in its cache. One such statement
 * runs at a time: `setval` of another could set the sequence back.
 */
const MOVE_PET_IDS = `
  with locked as materialized (select pg_advisory_xact_lock(${MOVE_LOCK}))
  select case
    when $1::bigint - last > ${MANY_IDS} then setval(${PET_IDS}, $1::bigint)
    else (
      select max(nextval(${PET_IDS}))
      from generate_series(1, $1::bigint - last + seqcache - 1)
    )
  end
  from (
    select coalesce(pg_sequence_last_value(seqrelid), 0) as last, seqcache
    from locked, pg_sequence
    where seqrelid = ${PET_IDS}
  ) as sequence
  where $1::bigint > last`

/**
 * Opens a database for import, export, copy and seed. Rejects if its schema is outdated and `mode`
 * does not allow migrating it, or if a newer version has migrated it.
 */
export async function openPostgresBulkAccess(options: PostgresOptions): Promise<BulkAccess> {
  const { bulkTimeoutMs = PAGE_TIMEOUT_MS } = options
  const database = await openPostgresDatabase({ ...options, statementTimeoutMs: bulkTimeoutMs })
  const { pool } = database
  const orm = createPostgresOrm(database)
  try {
    await migrateIfAllowed(database, orm, options, { mayBeNewer: false })
  } catch (error) {
    await pool.end()
    throw error
  }
  const read = runOnPool(pool, 'not_stored')
  const write = runOnPool(pool, 'unknown')

  return createBulkAccess({
    dialect: POSTGRES_DIALECT,
    runner: createPostgresStatementRunner(database, read),
    entities: createPostgresEntityManagers(orm, database),

    inTransaction: (work) =>
      inWriteTransaction(pool, (client) =>
        work({
          em: entityManagerOn(client, orm),
          insert: (statement, rows) => insertRows(client, statement, rows),
        }),
      ),

    async lastPetId() {
      const [row] = await read({ text: LAST_PET_ID }, [])
      return BigInt(row?.[0] ?? 0)
    },

    async movePetIdsPast(id) {
      await write({ text: MOVE_PET_IDS }, [id])
    },

    close: () => pool.end(),
  })
}

/**
 * Inserts rows with one array for each column, so that the number of parameters does not grow with
 * the number of rows. Returns how many were inserted or replaced.
 */
async function insertRows(
  client: ClientBase,
  { into, types, onConflict }: BulkInsert,
  rows: readonly SqlValues[],
): Promise<number> {
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')
  const insert = client.query(
    `insert into ${into} select * from unnest(${arrays}) ${onConflict}`,
    types.map((_, index) => rows.map((row) => row[index])),
  )
  const { rowCount } = await insert.catch((error: unknown) => {
    throw unavailableOr(error)
  })
  return rowCount ?? 0
}
