import type { MikroORM } from '@mikro-orm/sqlite'
import type { BulkAccess } from '@pet-store/persistence'
import {
  type BulkStatement,
  createBulkAccess,
  NEW_PET_LINE_COLUMNS,
  PET_LINE_COLUMNS,
  type SqlValue,
  type TableColumns,
} from '@pet-store/persistence-mikro-orm'
import { openSqliteDatabase } from './database.ts'
import { createGroupCommit } from './driver/group-commit.ts'
import { createGroupRead } from './driver/group-read.ts'
import { insertRows } from './driver/insert-rows.ts'
import { preparePetLines, rowsOfLines } from './driver/pet-lines.ts'
import { createSqliteStatementRunner } from './driver/statement-runner.ts'
import { inWriteTransaction } from './driver/write-transaction.ts'
import { assertMigratedSchema, assertNoNewerSchema, runMigrations } from './migrations.ts'
import { createSqliteOrm } from './orm.ts'
import { type SqliteOptions, sqlitePath } from './settings.ts'

/** The service waits for such a transaction for about as long as for a flush of the disk. */
const MAX_STORED_BYTES = 256 * 1024
/** Pets come and go in the order of their ids, so a larger cache is not faster. Default of the driver: 16,000. */
const CACHE_KIB = 4_000

/**
 * Opens a file for import, export, copy and seed. Rejects with one sentence if the file is missing, if its schema is
 * outdated, unless it may migrate, and if the schema is that of a newer version.
 */
export async function openSqliteBulkAccess({
  url,
  migrate = false,
  create = true,
  readOnly = false,
}: SqliteOptions): Promise<BulkAccess> {
  const mayMigrate = migrate && !readOnly
  const database = await openSqliteDatabase(sqlitePath(url), { create: create && mayMigrate, readOnly })
  try {
    if (mayMigrate) await runMigrations(database)
    else assertMigratedSchema(database)
    assertNoNewerSchema(database)
  } catch (error) {
    database.close()
    throw error
  }
  database.pragma(`cache_size = -${CACHE_KIB}`)
  let orm: MikroORM | undefined
  const em = () => {
    orm ??= createSqliteOrm(database)
    return orm.em
  }
  const runner = createSqliteStatementRunner(database, createGroupCommit(database), createGroupRead(database))
  const lastId = database.prepare("select seq from sqlite_sequence where name = 'pet'").pluck().safeIntegers()

  const readPetLines = preparePetLines(database, PET_LINE_COLUMNS)
  const insert = (table: TableColumns, rows: Iterable<readonly SqlValue[]>, also?: BulkStatement) =>
    inWriteTransaction(database, () => {
      insertRows(database, table, rows)
      if (also === undefined || database.prepare(also.sql).run(also.values).changes > 0) return true
      database.exec('rollback')
      return false
    })

  return createBulkAccess(em, runner, {
    maxStoredBytes: MAX_STORED_BYTES,
    insert,
    insertPetLines: (lines, also) => insert(NEW_PET_LINE_COLUMNS, rowsOfLines(lines), also),
    async writePetLines(lines) {
      await insert(PET_LINE_COLUMNS, rowsOfLines(lines))
    },

    readPetLines: async (query) => readPetLines(query),

    lastPetId: async () => (lastId.get() as bigint | undefined) ?? 0n,

    movePetIdsPast: (id) =>
      inWriteTransaction(database, () => {
        // The table of sequences has no unique index, so nothing can be left to a conflict.
        database.exec(
          "insert into sqlite_sequence (name, seq) select 'pet', 0 where not exists (select 1 from sqlite_sequence where name = 'pet')",
        )
        database.prepare("update sqlite_sequence set seq = max(seq, ?) where name = 'pet'").run(id)
      }),

    async close() {
      await orm?.close()
      database.close()
    },
  })
}
