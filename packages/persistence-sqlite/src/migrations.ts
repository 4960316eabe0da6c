import { existsSync } from 'node:fs'
import type { MigrationState } from '@pet-store/persistence'
import { migrationState } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { openSqliteDatabase } from './database.ts'
import { inWriteTransaction } from './driver/write-transaction.ts'
import { createSqliteOrm, MIGRATIONS } from './orm.ts'
import { MEMORY, type SqliteOptions, sqlitePath } from './settings.ts'

/**
 * Brings the schema up to date and returns the names of the migrations that were missing. Creates the file if it is
 * missing. Any number of processes may call it at once.
 */
export async function migrateSqlite({ url }: Pick<SqliteOptions, 'url'>): Promise<readonly string[]> {
  const database = await openSqliteDatabase(sqlitePath(url))
  try {
    return await runMigrations(database)
  } finally {
    database.close()
  }
}

/** Returns which migrations a file has and lacks. Writes nothing. */
export async function readSqliteMigrations({ url }: Pick<SqliteOptions, 'url'>): Promise<MigrationState> {
  const path = sqlitePath(url)
  if (path !== MEMORY && !existsSync(path)) return migrationState(undefined, MIGRATIONS)
  const database = await openSqliteDatabase(path, { readOnly: true })
  try {
    return stateOf(database)
  } finally {
    database.close()
  }
}

/** Runs the missing migrations, all or none. Rejects with one sentence that names the file. */
export async function runMigrations(database: Database): Promise<readonly string[]> {
  try {
    // Without anything to do, no start waits for a process that is writing.
    if (stateOf(database).pending.length === 0) return []
    return await inWriteTransaction(database, async () => {
      const { pending } = stateOf(database)
      await createSqliteOrm(database).migrator.up({ migrations: [...pending] })
      return pending
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`Cannot migrate the SQLite database ${JSON.stringify(database.name)}: ${reason}.`, { cause: error })
  }
}

/** Throws one sentence that names the migrations that the schema lacks. */
export function expectMigrated(database: Database): void {
  const { pending } = stateOf(database)
  if (pending.length === 0) return
  const name = JSON.stringify(database.name)
  throw new Error(`The SQLite database ${name} must be migrated first: it lacks ${pending.join(', ')}.`)
}

/**
 * Throws one sentence that names migrations of a newer version of this program. Serving works beside one; copying
 * would lose what it has added.
 */
export function expectNoNewerMigrations(database: Database): void {
  const { newer } = stateOf(database)
  if (newer.length === 0) return
  const name = JSON.stringify(database.name)
  throw new Error(
    `The SQLite database ${name} has migrations of a newer version: ${newer.join(', ')}. Use that version.`,
  )
}

/** Whether this program has ever migrated the database. */
export function hasMigrations(database: Database): boolean {
  return stateOf(database).database === 'migrated'
}

/** Without MikroORM, which no start should wait for; its migrator would also create its table and take the write lock. */
function stateOf(database: Database): MigrationState {
  const table = database.prepare("select 1 from sqlite_schema where type = 'table' and name = 'migration'").get()
  const names = table === undefined ? [] : database.prepare('select name from migration order by id').pluck().all()
  return migrationState(names as string[], MIGRATIONS)
}
