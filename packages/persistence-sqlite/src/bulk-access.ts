import { existsSync } from 'node:fs'
import { type BulkAccess, createBulkAccess } from '@pet-store/persistence-mikro-orm'
import { openSqliteDatabase } from './database.ts'
import { createGroupCommit } from './driver/group-commit.ts'
import { createGroupRead } from './driver/group-read.ts'
import { insertRows } from './driver/insert-rows.ts'
import { createSqliteStatementRunner } from './driver/statement-runner.ts'
import { expectMigrated, runMigrations } from './migrations.ts'
import { createSqliteOrm } from './orm.ts'
import { MEMORY, type SqliteOptions, sqlitePath } from './settings.ts'

/** Opens a file for moving its rows, many at a time; migrates first when asked to, else refuses an outdated schema and a missing file. */
export async function openSqliteBulk({ url, migrate = false }: SqliteOptions): Promise<BulkAccess> {
  const path = sqlitePath(url)
  // A slip of the pen must not be an empty database that is copied with success.
  if (!migrate && path !== MEMORY && !existsSync(path)) throw new Error(`There is no file ${JSON.stringify(path)}.`)
  const database = await openSqliteDatabase(path)
  const orm = createSqliteOrm(database)
  try {
    if (migrate) await runMigrations(orm, database)
    else await expectMigrated(orm, database)
  } catch (error) {
    await orm.close()
    throw error
  }
  const runner = createSqliteStatementRunner(database, createGroupCommit(database), createGroupRead(database))
  const lastId = database.prepare("select seq from sqlite_sequence where name = 'pet'").pluck().safeIntegers()

  return createBulkAccess(orm.em, runner, {
    async insert(table, rows, also) {
      database.exec('begin immediate')
      try {
        insertRows(database, table, rows)
        const isDone = also === undefined || database.prepare(also.sql).run(also.values).changes > 0
        database.exec(isDone ? 'commit' : 'rollback')
        return isDone
      } catch (error) {
        if (database.inTransaction) database.exec('rollback')
        throw error
      }
    },

    lastPetId: async () => (lastId.get() as bigint | undefined) ?? 0n,

    async movePetIdsPast(id) {
      database.transaction(() => {
        // The table of sequences has no unique index, so nothing can be left to a conflict.
        database.exec(
          "insert into sqlite_sequence (name, seq) select 'pet', 0 where not exists (select 1 from sqlite_sequence where name = 'pet')",
        )
        database.prepare("update sqlite_sequence set seq = max(seq, ?) where name = 'pet'").run(id)
      })()
    },

    close: () => orm.close(),
  })
}
