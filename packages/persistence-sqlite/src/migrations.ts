import { existsSync } from 'node:fs'
import type { MikroORM, SqlEntityManager } from '@mikro-orm/sqlite'
import { isPetError } from '@pet-store/domain'
import type { MigrationState } from '@pet-store/persistence'
import {
  appliedMigrations,
  assertMigrated,
  assertNotNewer,
  migrationState,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { withSqliteDatabase } from './database/database.ts'
import { SQLITE_DIALECT } from './database/dialect.ts'
import { logsBeside } from './database/files/logs.ts'
import { MEMORY, type SqliteOptions, sqlitePath } from './database/settings.ts'
import { inWriteTransaction } from './driver/transaction.ts'
import { createSqliteOrm } from './orm.ts'
import { MIGRATIONS } from './schema.ts'

/**
 * Brings the schema up to date and returns the names of the migrations that were missing. Creates
 * the file if it is missing. Any number of processes may call it at the same time.
 */
export async function migrateSqlite({
  url,
}: Pick<SqliteOptions, 'url'>): Promise<readonly string[]> {
  return withSqliteDatabase(sqlitePath(url), {}, (database) =>
    runMigrations(database, createSqliteOrm(database)),
  )
}

/** Returns which migrations a database has and lacks. Writes nothing. */
export async function readSqliteMigrations({
  url,
}: Pick<SqliteOptions, 'url'>): Promise<MigrationState> {
  const path = sqlitePath(url)
  if (path !== MEMORY && !existsSync(path) && logsBeside(path).length === 0)
    return migrationState(nameOf(path), undefined, MIGRATIONS)
  return withSqliteDatabase(path, { readOnly: true }, (database) =>
    stateOf(database, createSqliteOrm(database).em.fork()),
  )
}

/**
 * Runs pending migrations if `mode` is `migrate`; otherwise rejects with an error that names them.
 * Also rejects if there are migrations of a newer version, unless `mayBeNewer`.
 */
export async function migrateIfAllowed(
  database: Database,
  orm: MikroORM,
  { mode }: SqliteOptions,
  { mayBeNewer }: { readonly mayBeNewer: boolean },
): Promise<void> {
  if (mode === 'migrate') await runMigrations(database, orm)
  const state = await stateOf(database, orm.em.fork())
  assertMigrated(nameOf(database.name), state)
  if (!mayBeNewer) assertNotNewer(nameOf(database.name), state)
}

/** Rejects if a database is not one of this program, or has migrations of a newer version. */
export async function assertPetStore(database: Database): Promise<void> {
  const state = await stateOf(database, createSqliteOrm(database).em.fork())
  if (state.database !== 'migrated')
    throw new Error(`${JSON.stringify(database.name)} is not a database of a pet store.`)
  assertNotNewer(nameOf(database.name), state)
}

/** Runs the missing migrations, all or none. Rejects with an error that names the file. */
async function runMigrations(database: Database, orm: MikroORM): Promise<readonly string[]> {
  // When nothing is pending, no lock is taken, so that starting does not wait for a process that is
  // writing.
  if ((await stateOf(database, orm.em.fork())).pending.length === 0) return []
  try {
    return await inWriteTransaction(database, async () => {
      const { pending } = await stateOf(database, orm.em.fork())
      await orm.migrator.up()
      return pending
    })
  } catch (error) {
    throw new Error(`Cannot migrate the ${nameOf(database.name)}: ${reasonOf(error)}.`, {
      cause: error,
    })
  }
}

/** Which migrations a database has and lacks. */
export async function stateOf({ name }: Database, em: SqlEntityManager): Promise<MigrationState> {
  const applied = await appliedMigrations(nameOf(name), em, SQLITE_DIALECT)
  return migrationState(nameOf(name), applied, MIGRATIONS)
}

/** The message of an error, or of its cause if it only says that the database is unavailable. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return isPetError(error) && cause instanceof Error ? cause.message : message
}

function nameOf(path: string): string {
  return `SQLite database ${JSON.stringify(path)}`
}
