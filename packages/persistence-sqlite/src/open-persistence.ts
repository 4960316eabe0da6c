import { setImmediate } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/sqlite'
import type { ApiKeyRepository } from '@pet-store/access'
import type { Persistence } from '@pet-store/persistence'
import { SERVED_ENTITIES, SqlApiKeyRepository, SqlPetRepository } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { createFileCheck, openSqliteDatabase } from './database.ts'
import { createEntityAccess } from './driver/entity-access.ts'
import { createGroupCommit } from './driver/group-commit.ts'
import { createGroupRead } from './driver/group-read.ts'
import { createSqliteStatementRunner } from './driver/statement-runner.ts'
import { FIND_API_KEY_BY_HASH, PET_STATEMENTS } from './hot-statements.ts'
import { assertMigratedSchema, runMigrations } from './migrations.ts'
import { createSqliteOrm, LATEST_MIGRATION } from './orm.ts'
import { type SqliteOptions, sqlitePath } from './settings.ts'

/** An open SQLite database. Whoever opened it closes it. */
export interface SqlitePersistence extends Persistence {
  readonly apiKeys: ApiKeyRepository
  /** Whether the schema still has every migration that this program knows. */
  isMigrated(): Promise<boolean>
}

/**
 * Opens an SQLite file (or `sqlite::memory:`) and resolves once it works. Rejects with one sentence if the file is
 * missing, is no database, may not be written or, without `migrate`, has an outdated schema.
 */
export async function openSqlitePersistence({
  url,
  migrate = false,
  create = true,
  readOnly = false,
}: SqliteOptions): Promise<SqlitePersistence> {
  const path = sqlitePath(url)
  const mayMigrate = migrate && !readOnly
  const database = await openSqliteDatabase(path, { create: create && mayMigrate, readOnly })
  try {
    if (mayMigrate) await runMigrations(database)
    else assertMigratedSchema(database)
    return persistenceOf(database, createFileCheck(path))
  } catch (error) {
    database.close()
    throw error
  }
}

function persistenceOf(database: Database, expectFile: () => void): SqlitePersistence {
  const commits = createGroupCommit(database, expectFile)
  const reads = createGroupRead(database)
  const runner = createSqliteStatementRunner(database, commits, reads)
  // Made when it is needed first: that takes a fifth of the time of a start. Work with it begins in a later turn of
  // the event loop, because its own first run takes as long again.
  let orm: Promise<MikroORM> | undefined
  const openedOrm = () => {
    orm ??= setImmediate(createSqliteOrm(database, SERVED_ENTITIES))
    return orm
  }
  const entities = createEntityAccess(openedOrm, database, expectFile)

  const apiKeys = new SqlApiKeyRepository(entities, FIND_API_KEY_BY_HASH, runner)

  return {
    pets: new SqlPetRepository(PET_STATEMENTS, runner),
    apiKeys,
    async check() {
      expectFile()
      // Reads a page of the file, which `select 1` would not.
      await entities.read((em) => em.execute('select id from pet limit 1'))
    },
    async isMigrated() {
      const find = 'select 1 from migration where name = ?'
      return (await entities.read((em) => em.execute<object[]>(find, [LATEST_MIGRATION]))).length === 1
    },
    async close() {
      await apiKeys.finish()
      await commits.finish()
      reads.flush()
      await (await orm)?.close()
      database.close()
    },
  }
}
