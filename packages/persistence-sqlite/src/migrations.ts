import { existsSync } from 'node:fs'
import type { MigrationState } from '@pet-store/persistence'
import { assertMigrated, assertNotNewer, migrationState } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { closedOnFailure, openSqliteDatabase, withSqliteDatabase } from './database/database.ts'
import { inWriteTransaction } from './database/failures.ts'
import { logsBeside } from './database/logs.ts'
import { MEMORY, type SqliteOptions, sqlitePath } from './database/settings.ts'
import { createSqliteOrm } from './orm.ts'
import { MIGRATIONS } from './schema.ts'

/**
 * Brings the schema up to date and returns the names of the migrations that were missing. Creates
 * the file if it is missing. Any number of processes may call it at once.
 */
export async function migrateSqlite({
  url,
}: Pick<SqliteOptions, 'url'>): Promise<readonly string[]> {
  return withSqliteDatabase(sqlitePath(url), {}, runMigrations)
}

/** Returns which migrations a file has and lacks. Writes nothing. */
export async function readSqliteMigrations({
  url,
}: Pick<SqliteOptions, 'url'>): Promise<MigrationState> {
  const path = sqlitePath(url)
  if (path !== MEMORY && !existsSync(path) && logsBeside(path).length === 0)
    return migrationState(nameOf(path), undefined, MIGRATIONS)
  return withSqliteDatabase(path, { readOnly: true }, stateOf)
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
    throw new Error(`Cannot migrate the ${nameOf(database.name)}: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

/**
 * Makes an adapter of a file whose schema is up to date, migrating it if it may. Rejects with one
 * sentence if the file is missing, is no database, may not be written, without `migrate`, has an
 * outdated schema or, unless it may, that of a newer version.
 */
export async function openMigrated<Adapter>(
  { url, mode = 'write' }: SqliteOptions,
  { mayBeNewer }: { readonly mayBeNewer: boolean },
  createAdapter: (database: Database) => Adapter,
): Promise<Adapter> {
  const mayMigrate = mode === 'migrate'
  const opened = await openSqliteDatabase(sqlitePath(url), {
    create: mayMigrate,
    readOnly: mode === 'read',
  })
  return closedOnFailure(opened, async (database) => {
    if (mayMigrate) await runMigrations(database)
    else assertMigrated(nameOf(database.name), stateOf(database))
    if (!mayBeNewer) assertNotNewer(nameOf(database.name), stateOf(database))
    // A newer schema may lack a column that it needs.
    return createAdapter(database)
  })
}

/** Throws one sentence if this program has never migrated a database, or a newer version has. */
export function assertPetStore(database: Database): void {
  const state = stateOf(database)
  if (state.database !== 'migrated')
    throw new Error(`${JSON.stringify(database.name)} is no database of a pet store.`)
  assertNotNewer(nameOf(database.name), state)
}

/**
 * Which migrations it has and lacks. Without MikroORM, which no start should wait for; its migrator
 * would also create its table and take the write lock.
 */
export function stateOf(database: Database): MigrationState {
  const table = database
    .prepare("select 1 from sqlite_schema where type = 'table' and name = 'migration'")
    .get()
  const names =
    table === undefined
      ? []
      : database.prepare('select name from migration order by id').pluck().all()
  return migrationState(nameOf(database.name), names as string[], MIGRATIONS)
}

function nameOf(path: string): string {
  return `SQLite database ${JSON.stringify(path)}`
}
