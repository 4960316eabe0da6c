import type { MikroORM } from '@mikro-orm/sqlite'
import type { Database } from 'better-sqlite3'
import { openSqliteDatabase } from './database.ts'
import { whileWriting } from './driver/write-lock.ts'
import { createSqliteOrm } from './orm.ts'
import { type SqliteOptions, sqlitePath } from './settings.ts'

/** Brings the schema up to date and gives the names of the migrations that were missing. Any number may try at once. */
export function migrateSqlite({ url }: Pick<SqliteOptions, 'url'>): Promise<readonly string[]> {
  return withDatabase(url, runMigrations)
}

/** The names of the migrations that the schema lacks, in the order in which they would run. Changes no schema. */
export function pendingSqliteMigrations({ url }: Pick<SqliteOptions, 'url'>): Promise<readonly string[]> {
  return withDatabase(url, findPendingMigrations)
}

/** Runs what is missing, all or nothing. Rejects with one sentence that names the file. */
export async function runMigrations(orm: MikroORM, database: Database): Promise<readonly string[]> {
  try {
    return await whileWriting(database, 'commit', async () => namesOf(await orm.migrator.up()))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`Cannot migrate the SQLite database ${JSON.stringify(database.name)}: ${reason}.`, { cause: error })
  }
}

/** Looks without leaving a trace: the migrator makes its table as soon as it is asked, and that is rolled back. */
async function findPendingMigrations(orm: MikroORM, database: Database): Promise<readonly string[]> {
  return whileWriting(database, 'rollback', async () => namesOf(await orm.migrator.getPending()))
}

/** Rejects with one sentence that names what an outdated schema lacks. */
export async function expectMigrated(orm: MikroORM, database: Database): Promise<void> {
  const pending = await findPendingMigrations(orm, database)
  if (pending.length === 0) return
  const name = JSON.stringify(database.name)
  throw new Error(`The SQLite database ${name} must be migrated first, it lacks ${pending.join(', ')}.`)
}

function namesOf(migrations: readonly { readonly name: string }[]): readonly string[] {
  return migrations.map(({ name }) => name)
}

async function withDatabase<Result>(
  url: string,
  work: (orm: MikroORM, database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openSqliteDatabase(sqlitePath(url))
  const orm = createSqliteOrm(database)
  try {
    return await work(orm, database)
  } finally {
    await orm.close()
  }
}
