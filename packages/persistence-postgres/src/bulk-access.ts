import type { BulkAccess } from '@pet-store/persistence'
import { createBulkAccess } from '@pet-store/persistence-mikro-orm'
import { openPostgresDatabase } from './database.ts'
import { insertRows } from './driver/insert-rows.ts'
import { createPostgresStatementRunner } from './driver/statement-runner.ts'
import { expectMigrated, migratePostgres } from './migrations.ts'
import { createPostgresOrm } from './orm.ts'
import { keepsPrepared, type PostgresOptions } from './settings.ts'

/** Opens a database for moving its rows, many at a time; migrates first when asked to, else refuses an outdated schema. */
export async function openPostgresBulkAccess(options: PostgresOptions): Promise<BulkAccess> {
  if (options.migrate) await migratePostgres(options)
  else await expectMigrated(options)
  // Many rows take their time.
  const database = await openPostgresDatabase({ ...options, statementTimeout: 0 })
  const { pool } = database
  const runner = createPostgresStatementRunner(keepsPrepared(options), (query) => pool.query(query))

  return createBulkAccess(createPostgresOrm(database).em, runner, {
    async insert(table, rows, also) {
      const connection = await pool.connect()
      try {
        await connection.query('begin')
        await insertRows(connection, table, rows)
        const isDone = also === undefined || (await connection.query(also.sql, [...also.values])).rowCount !== 0
        await connection.query(isDone ? 'commit' : 'rollback')
        connection.release()
        return isDone
      } catch (error) {
        // The connection goes, and with it what it began.
        connection.release(true)
        throw error
      }
    },

    async lastPetId() {
      const { rows } = await pool.query<{ id: string }>(
        'select case when is_called then last_value else 0 end as id from pet_id_seq',
      )
      return BigInt(rows[0]?.id ?? 0)
    },

    async movePetIdsPast(id) {
      await pool.query(
        "select setval('pet_id_seq', $1::bigint) from pet_id_seq where $1::bigint > case when is_called then last_value else 0 end",
        [id],
      )
    },

    close: () => pool.end(),
  })
}
