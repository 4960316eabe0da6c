import { existsSync } from 'node:fs'
import type { MigrationState } from '@pet-store/persistence'
import { assertMigrated, assertNotNewer, migrationState } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { openSqliteDatabase } from './database/database.ts'
import { inWriteTransaction } from './database/retries.ts'
import { MEMORY, type SqliteOptions, sqlitePath } from './database/settings.ts'
import { createSqliteOrm } from './orm.ts'
import { MIGRATIONS } from './schema.ts'

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
  if (path !== MEMORY && !existsSync(path)) return migrationState(nameOf(path), undefined, MIGRATIONS)
  const database = await openSqliteDatabase(path, { readOnly: true })
  try {
    return stateOf(database)
  } finally {
    database.close()
  }
}

/** Runs the missing migrations, all or none. Rejects with one sentence that names the file. */
export async function runMigrations(database: Database): Promise<readonly string[]> {
  // Without anything to do, no start waits for a process that is writing.
  if (stateOf(database).pending.length === 0) return []
  try {
    return await inWriteTransaction(database, async () => {
      const { pending } = stateOf(database)
      await createSqliteOrm(database).migrator.up({ migrations: [...pending] })
      return pending
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`Cannot migrate the ${nameOf(database.name)}: ${reason}.`, { cause: error })
  }
}

/**
 * Opens a file whose schema is up to date, migrating it if it may. Rejects with one sentence if the file is missing, is no
 * database, may not be written or, without `migrate`, has an outdated schema.
 */
export async function openMigrated({
  url,
  migrate = false,
  create = true,
  readOnly = false,
}: SqliteOptions): Promise<Database> {
  const mayMigrate = migrate && !readOnly
  const database = await openSqliteDatabase(sqlitePath(url), { create: create && mayMigrate, readOnly })
  try {
    if (mayMigrate) await runMigrations(database)
    else assertMigrated(nameOf(database.name), stateOf(database))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Throws one sentence that names migrations of a newer version of this program. */
export function assertNoNewerSchema(database: Database): void {
  assertNotNewer(nameOf(database.name), stateOf(database))
}

/** Whether this program has ever migrated the database. */
export function hasMigrations(database: Database): boolean {
  return stateOf(database).database === 'migrated'
}

/** Which migrations it has and lacks. Without MikroORM, which no start should wait for; its migrator would also create its table and take the write lock. */
export function stateOf(database: Database): MigrationState {
  const table = database.prepare("select 1 from sqlite_schema where type = 'table' and name = 'migration'").get()
  const names = table === undefined ? [] : database.prepare('select name from migration order by id').pluck().all()
  return migrationState(nameOf(database.name), names as string[], MIGRATIONS)
}

function nameOf(path: string): string {
  return `SQLite database ${JSON.stringify(path)}`
}
