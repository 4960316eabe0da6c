import type { BulkAccess } from '@pet-store/persistence'
import { createBulkAccess } from '@pet-store/persistence-mikro-orm'
import { CompiledQuery } from 'kysely'
import { openPostgresDatabase } from './database.ts'
import { insertStatement } from './driver/insert-rows.ts'
import { runOnPool } from './driver/pool-statements.ts'
import { createPostgresStatementRunner } from './driver/statement-runner.ts'
import { expectMigrated, expectNoNewerMigrations, migratePostgres } from './migrations.ts'
import { createPostgresOrm } from './orm.ts'
import type { PostgresOptions } from './settings.ts'

const PET_IDS = "pg_get_serial_sequence('pet', 'id')::regclass"

/**
 * Opens a database for import, export, copy and seed. Rejects with one sentence if the schema is outdated, unless it may
 * migrate, and if the schema is that of a newer version.
 */
export async function openPostgresBulkAccess(options: PostgresOptions): Promise<BulkAccess> {
  if (options.migrate) await migratePostgres(options)
  else await expectMigrated(options)
  await expectNoNewerMigrations(options)
  // Many rows take their time.
  const database = await openPostgresDatabase({ ...options, statementTimeoutMs: 0 })
  const { pool } = database
  const { em } = createPostgresOrm(database)
  const runner = createPostgresStatementRunner(options.pooler ?? 'none', runOnPool(pool, true), runOnPool(pool, false))

  return createBulkAccess(em, runner, {
    async insert(table, rows, also) {
      const transaction = em.fork()
      await transaction.begin()
      try {
        const run = (sql: string, values: readonly unknown[]) =>
          transaction.getKysely().executeQuery(CompiledQuery.raw(sql, [...values]))
        if (rows.length > 0) await run(...insertStatement(table, rows))
        const isDone = also === undefined || (await run(also.sql, also.values)).numAffectedRows !== 0n
        if (isDone) await transaction.commit()
        else await transaction.rollback()
        return isDone
      } catch (error) {
        // If the connection is lost, the server has rolled back already.
        if (transaction.isInTransaction()) await transaction.rollback().catch(() => {})
        throw error
      }
    },

    async lastPetId() {
      const { rows } = await pool.query<{ id: string | null }>(`select pg_sequence_last_value(${PET_IDS}) as id`)
      return BigInt(rows[0]?.id ?? 0)
    },

    async movePetIdsPast(id) {
      await pool.query(
        `select setval(${PET_IDS}, $1::bigint) where $1::bigint > coalesce(pg_sequence_last_value(${PET_IDS}), 0)`,
        [id],
      )
    },

    close: () => pool.end(),
  })
}
