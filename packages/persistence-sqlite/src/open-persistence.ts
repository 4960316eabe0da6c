import type { MikroORM } from '@mikro-orm/sqlite'
import type { ApiKeyRepository } from '@pet-store/access'
import type { PetRepository } from '@pet-store/domain'
import {
  compileApiKeyStatements,
  compilePetStatements,
  MikroOrmApiKeyRepository,
  MikroOrmPetRepository,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { openSqliteDatabase } from './database.ts'
import { createGroupCommit } from './driver/group-commit.ts'
import { createGroupRead } from './driver/group-read.ts'
import { createSqliteStatementRunner } from './driver/statement-runner.ts'
import { expectMigrated, runMigrations } from './migrations.ts'
import { createSqliteOrm, LATEST_MIGRATION } from './orm.ts'
import { type SqliteOptions, sqlitePath } from './settings.ts'

/** An open database. Who opened it closes it. */
export interface SqlitePersistence {
  readonly pets: PetRepository
  readonly apiKeys: ApiKeyRepository
  /** Kept when the database answers, rejected when it does not. */
  check(): Promise<void>
  /** Whether the schema still has every migration that this program knows. */
  isMigrated(): Promise<boolean>
  /** Stores what was begun and closes the file. Nothing can be asked afterwards. */
  close(): Promise<void>
}

/** Opens an SQLite file (or `sqlite::memory:`) and answers only when it works; migrates first when asked to. */
export async function openSqlitePersistence(options: SqliteOptions): Promise<SqlitePersistence> {
  const database = await openSqliteDatabase(sqlitePath(options.url))
  const orm = createSqliteOrm(database)
  try {
    if (options.migrate) await runMigrations(orm, database)
    else await expectMigrated(orm, database)
    return storageOf(orm, database)
  } catch (error) {
    await orm.close()
    throw error
  }
}

function storageOf(orm: MikroORM, database: Database): SqlitePersistence {
  const commits = createGroupCommit(database)
  const reads = createGroupRead(database)
  const runner = createSqliteStatementRunner(database, commits, reads)
  // Reads a page of the file; `select 1` would be answered without looking at it.
  const check = database.prepare('select 1 from pet limit 1')
  const findMigration = database.prepare('select 1 from migration where name = ?')

  return {
    pets: new MikroOrmPetRepository(compilePetStatements(orm.em), runner),
    apiKeys: new MikroOrmApiKeyRepository(compileApiKeyStatements(orm.em), runner),
    async check() {
      check.get()
    },
    async isMigrated() {
      return findMigration.get(LATEST_MIGRATION) !== undefined
    },
    async close() {
      commits.flush()
      reads.flush()
      await orm.close()
    },
  }
}
