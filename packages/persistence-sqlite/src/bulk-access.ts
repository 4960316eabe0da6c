import type { BulkAccess } from '@pet-store/persistence'
import { type BulkInsert, createBulkAccess, type SqlValues } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { closedOnFailure } from './database/closed-on-failure.ts'
import { fileMode, openSqliteDatabase } from './database/database.ts'
import { SQLITE_DIALECT } from './database/dialect.ts'
import { closeDatabase } from './database/files/watched-files.ts'
import { LAST_PET_ID, movePetIdsPast } from './database/pet-id-sequence.ts'
import { type SqliteOptions, sqlitePath } from './database/settings.ts'
import { createGroupedReads } from './driver/grouped-reads.ts'
import { createSqliteStatementRunner } from './driver/statement-runner.ts'
import { inTurn, inWriteTransaction } from './driver/transaction.ts'
import { migrateIfAllowed } from './migrations.ts'
import { createSqliteEntityManagers, createSqliteOrm } from './orm.ts'

/**
 * Pets are read and written in the order of their ids, so a larger cache, such as the driver's
 * default of 16,000 KiB, is not faster.
 */
const CACHE_KIB = 4_000

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
    const addRead = createGroupedReads(database)
    // Reads wait for the end of a transaction of this connection, which they would see.
    const runner = createSqliteStatementRunner(database, (read) =>
      inTurn(database, () => addRead(read)),
    )
    const readLastPetId = runner.readOne(LAST_PET_ID, ([id]) => id)
    return createBulkAccess({
      dialect: SQLITE_DIALECT,
      runner,
      entities: createSqliteEntityManagers(database, orm, { readsInTurn: true }),

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

      movePetIdsPast: (id) => inWriteTransaction(database, () => movePetIdsPast(database, id)),

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
