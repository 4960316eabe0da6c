import type { BulkAccess } from '@pet-store/persistence'
import { createBulkAccess } from '@pet-store/persistence-mikro-orm'
import { openPostgresDatabase } from './database/database.ts'
import type { PostgresOptions } from './database/settings.ts'
import { runOnPool } from './driver/pool-statements.ts'
import { createPostgresStatementRunner } from './driver/statement-runner.ts'
import { inWriteTransaction } from './driver/transaction.ts'
import { migrateIfAllowed } from './migrations.ts'
import { createPostgresOrm } from './orm.ts'

/**
 * How long a page of pets may take. A silent server ends a command, however much it has done
 * before.
 */
const PAGE_TIMEOUT_MS = 60_000
const PET_IDS = "pg_get_serial_sequence('pet', 'id')::regclass"

/**
 * Opens a database for import, export, copy and seed. Rejects with one sentence if the schema is
 * outdated, unless it may migrate, and if the schema is that of a newer version.
 */
export async function openPostgresBulkAccess(options: PostgresOptions): Promise<BulkAccess> {
  const { bulkTimeoutMs = PAGE_TIMEOUT_MS } = options
  const database = await openPostgresDatabase({ ...options, statementTimeoutMs: bulkTimeoutMs })
  const { pool } = database
  await migrateIfAllowed(database, options, { mayBeNewer: false }).catch(async (error: unknown) => {
    await pool.end()
    throw error
  })

  const read = runOnPool(pool, 'not_stored')
  const write = runOnPool(pool, 'unknown')
  return createBulkAccess(createPostgresOrm(database.name, pool).em, {
    runner: createPostgresStatementRunner(database, write, read),

    insert: ({ table, columns, names, onConflict }, rows, also) =>
      inWriteTransaction(pool, async (client) => {
        if (also !== undefined && (await client.query(also.sql, [...also.values])).rowCount === 0)
          return false
        // One array for each column, so that the number of parameters does not grow with the rows.
        const arrays = columns.map(
          ({ isInteger }, index) => `$${index + 1}::${isInteger ? 'bigint' : 'text'}[]`,
        )
        await client.query(
          `insert into ${table} (${names}) select * from unnest(${arrays.join(', ')}) ${onConflict}`,
          columns.map((_, index) => rows.map((row) => row[index])),
        )
        return true
      }),

    async lastPetId() {
      const [row] = await read({ text: `select pg_sequence_last_value(${PET_IDS})` }, [])
      return BigInt(row?.[0] ?? 0)
    },

    async movePetIdsPast(id) {
      const isAhead = `$1::bigint > coalesce(pg_sequence_last_value(${PET_IDS}), 0)`
      await write({ text: `select setval(${PET_IDS}, $1::bigint) where ${isAhead}` }, [id])
    },

    close: () => pool.end(),
  })
}
