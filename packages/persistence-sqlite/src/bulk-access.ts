import type { BulkAccess } from '@pet-store/persistence'
import { createBulkAccess } from '@pet-store/persistence-mikro-orm'
import { inWriteTransaction } from './database/failures.ts'
import type { SqliteOptions } from './database/settings.ts'
import { assertFilesUnmoved, closeDatabase } from './database/watched-files.ts'
import { createGroupedWrites } from './driver/grouped-writes.ts'
import { createSqliteStatementRunner } from './driver/statement-runner.ts'
import { openMigrated } from './migrations.ts'
import { createSqliteOrm } from './orm.ts'

/**
 * Pets are read and written in the order of their ids, so a larger cache is not faster. Default of
 * the driver: 16,000.
 */
const CACHE_KIB = 4_000

/**
 * Opens a file for import, export, copy and seed. Rejects with one sentence if the file is missing,
 * if its schema is outdated, unless it may migrate, and if the schema is that of a newer version.
 */
export function openSqliteBulkAccess(options: SqliteOptions): Promise<BulkAccess> {
  return openMigrated(options, { mayBeNewer: false }, (database) => {
    database.pragma(`cache_size = -${CACHE_KIB}`)

    async function write<Result>(work: () => Result): Promise<Result> {
      assertFilesUnmoved(database)
      const result = await inWriteTransaction(database, work)
      assertFilesUnmoved(database, 'unknown')
      return result
    }

    return createBulkAccess(createSqliteOrm(database).em, {
      runner: createSqliteStatementRunner(database, createGroupedWrites(database)),

      insert: ({ table, columns, names, onConflict }, rows, also) =>
        write(() => {
          if (also !== undefined && database.prepare(also.sql).run(also.values).changes === 0)
            return false
          const values = columns.map(() => '?').join(', ')
          const insert = database.prepare(
            `insert into ${table} (${names}) values (${values}) ${onConflict}`,
          )
          for (const row of rows) insert.run(row)
          return true
        }),

      async lastPetId() {
        const lastId = database
          .prepare("select seq from sqlite_sequence where name = 'pet'")
          .pluck()
          .safeIntegers()
        return (lastId.get() as bigint | undefined) ?? 0n
      },

      movePetIdsPast: (id) =>
        write(() => {
          // The table of sequences has no unique index, so nothing can be left to a conflict.
          database.exec(
            "insert into sqlite_sequence (name, seq) select 'pet', 0 where not exists (select 1 from sqlite_sequence where name = 'pet')",
          )
          database
            .prepare("update sqlite_sequence set seq = max(seq, ?) where name = 'pet'")
            .run(id)
        }),

      async close() {
        closeDatabase(database)
      },
    })
  })
}
