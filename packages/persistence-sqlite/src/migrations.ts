import { existsSync } from 'node:fs'
import type { MikroORM } from '@mikro-orm/sqlite'
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
  const orm = createSqliteOrm(database)
  try {
    return await runMigrations(orm, database)
  } finally {
    await orm.close()
  }
}

/** Returns which migrations a file has and lacks. Writes nothing. */
export async function readSqliteMigrations({ url }: Pick<SqliteOptions, 'url'>): Promise<MigrationState> {
  const path = sqlitePath(url)
  if (path !== MEMORY && !existsSync(path)) return migrationState(undefined, MIGRATIONS)
  const database = await openSqliteDatabase(path, { readOnly: true })
  const orm = createSqliteOrm(database)
  try {
    return await stateOf(orm)
  } finally {
    await orm.close()
  }
}

/** Runs the missing migrations, all or none. Rejects with one sentence that names the file. */
export async function runMigrations(orm: MikroORM, database: Database): Promise<readonly string[]> {
  try {
    // Without anything to do, no start waits for a process that is writing.
    if ((await stateOf(orm)).pending.length === 0) return []
    return await inWriteTransaction(database, async () => {
      const { pending } = await stateOf(orm)
      await orm.migrator.up({ migrations: [...pending] })
      return pending
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`Cannot migrate the SQLite database ${JSON.stringify(database.name)}: ${reason}.`, { cause: error })
  }
}

/** Rejects with one sentence that names the migrations that the schema lacks. */
export async function expectMigrated(orm: MikroORM, database: Database): Promise<void> {
  const { pending } = await stateOf(orm)
  if (pending.length === 0) return
  const name = JSON.stringify(database.name)
  throw new Error(`The SQLite database ${name} must be migrated first: it lacks ${pending.join(', ')}.`)
}

/**
 * Rejects with one sentence that names migrations of a newer version of this program. Serving works beside one; copying
 * would lose what it has added.
 */
export async function expectNoNewerMigrations(orm: MikroORM, database: Database): Promise<void> {
  const { newer } = await stateOf(orm)
  if (newer.length === 0) return
  const name = JSON.stringify(database.name)
  throw new Error(
    `The SQLite database ${name} has migrations of a newer version: ${newer.join(', ')}. Use that version.`,
  )
}

/** Whether this program has ever migrated the database. */
export async function hasMigrations(orm: MikroORM): Promise<boolean> {
  return (await stateOf(orm)).database === 'migrated'
}

/** The migrator itself would create its table and take the write lock. */
async function stateOf(orm: MikroORM): Promise<MigrationState> {
  const em = orm.em.fork()
  const tables = await em.execute("select name from sqlite_schema where type = 'table' and name = 'migration'")
  const rows = tables.length === 0 ? [] : await em.execute<{ name: string }[]>('select name from migration order by id')
  return migrationState(
    rows.map(({ name }) => name),
    MIGRATIONS,
  )
}
