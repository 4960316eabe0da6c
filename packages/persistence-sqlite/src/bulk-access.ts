import type { BulkAccess } from '@pet-store/persistence'
import {
  type BulkInsert,
  createBulkAccess,
  type SqlValues,
  type Statement,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { closedOnFailure } from './database/closed-on-failure.ts'
import { fileMode, openSqliteDatabase } from './database/database.ts'
import { SQLITE_DIALECT } from './database/dialect.ts'
import { type SqliteOptions, sqlitePath } from './database/settings.ts'
import { closeDatabase } from './database/watched-files.ts'
import { createSqliteStatementRunner } from './driver/statement-runner.ts'
import { inWriteTransaction } from './driver/transaction.ts'
import { migrateIfAllowed } from './migrations.ts'
import { createSqliteEntityManagers, createSqliteOrm } from './orm.ts'

/**
 * Pets are read and written in the order of their ids, so a larger cache, such as the driver's
 * default of 16,000 KiB, is not faster.
 */
const CACHE_KIB = 4_000

const LAST_PET_ID: Statement<readonly [], readonly [id: bigint]> = {
  name: 'pet_last_id',
  sql: `
    select seq
    from sqlite_sequence
    where name = 'pet'`,
}

// `sqlite_sequence` has no unique index, so `on conflict` cannot be used.
const ADD_PET_SEQUENCE = `
  insert into sqlite_sequence (name, seq)
  select 'pet', 0
  where not exists (select 1 from sqlite_sequence where name = 'pet')`

const MOVE_PET_IDS = `
  update sqlite_sequence
  set seq = max(seq, ?)
  where name = 'pet'`

/**
 * Opens a file for import, export, copy and seed. Rejects if the file is missing, if its schema is
 * outdated and `mode` does not allow migrating it, or if a newer version has migrated it.
 */
export async function openSqliteBulkAccess(options: SqliteOptions): Promise<BulkAccess> {
  const opened = await openSqliteDatabase(sqlitePath(options.url), fileMode(options))
  return closedOnFailure(opened, async (database) => {
    const orm = createSqliteOrm(database)
    await migrateIfAllowed(database, orm, options, { mayBeNewer: false })
    database.pragma(`cache_size = -${CACHE_KIB}`)
    const runner = createSqliteStatementRunner(database)
    const readLastPetId = runner.readOne(LAST_PET_ID, ([id]) => id)
    return createBulkAccess({
      dialect: SQLITE_DIALECT,
      runner,
      entities: createSqliteEntityManagers(database, orm),

      inTransaction: (work) =>
        inWriteTransaction(database, () =>
          work({
            em: orm.em.fork(),
            insert: async (statement, rows) => insertRows(database, statement, rows),
          }),
        ),

      async lastPetId() {
        return (await readLastPetId([])) ?? 0n
      },

      movePetIdsPast: (id) =>
        inWriteTransaction(database, () => {
          database.exec(ADD_PET_SEQUENCE)
          database.prepare(MOVE_PET_IDS).run(id)
        }),

      async close() {
        closeDatabase(database)
      },
    })
  })
}

/** Returns how many rows were inserted or replaced. */
function insertRows(
  database: Database,
  { into, types, onConflict }: BulkInsert,
  rows: readonly SqlValues[],
): number {
  const values = types.map(() => '?').join(', ')
  const insert = database.prepare(`insert into ${into} values (${values}) ${onConflict}`)
  return rows.reduce((count, row) => count + insert.run(row).changes, 0)
}
