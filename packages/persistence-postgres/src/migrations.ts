import type { MikroORM } from '@mikro-orm/postgresql'
import { pendingMigrations } from '@pet-store/persistence-mikro-orm'
import { openPostgresDatabase, type PostgresDatabase, reasonOf } from './database.ts'
import { whileLocked } from './driver/migration-lock.ts'
import { createPostgresOrm, MIGRATIONS } from './orm.ts'
import type { PostgresOptions } from './settings.ts'

/** Brings the schema up to date and gives the names of the migrations that were missing. Any number may try at once. */
export function migratePostgres(options: PostgresOptions): Promise<readonly string[]> {
  return withDatabase(options, runMigrations)
}

/** The names of the migrations that the schema lacks, in the order in which they would run. Changes no schema. */
export function pendingPostgresMigrations(options: PostgresOptions): Promise<readonly string[]> {
  return withDatabase(options, findPending)
}

/** Rejects with one sentence that names what an outdated schema lacks. */
export async function expectMigrated(options: PostgresOptions): Promise<void> {
  const pending = await pendingPostgresMigrations(options)
  if (pending.length === 0) return
  throw new Error(`The PostgreSQL database must be migrated first, it lacks ${pending.join(', ')}.`)
}

/** Runs what is missing, all or nothing. Rejects with one sentence that names host and database. */
async function runMigrations(orm: MikroORM, database: PostgresDatabase): Promise<readonly string[]> {
  try {
    return await whileLocked(database.pool, 'commit', async () => {
      const migrations = await pendingIn(orm)
      await orm.migrator.up({ migrations: [...migrations] })
      return migrations
    })
  } catch (error) {
    throw new Error(`Cannot migrate the PostgreSQL database ${database.place}: ${reasonOf(error)}.`, { cause: error })
  }
}

/** Looks without leaving a trace: the migrator makes its table as soon as it is asked, and that is rolled back. */
async function findPending(orm: MikroORM, database: PostgresDatabase): Promise<readonly string[]> {
  return whileLocked(database.pool, 'rollback', () => pendingIn(orm))
}

async function withDatabase<Result>(
  options: PostgresOptions,
  work: (orm: MikroORM, database: PostgresDatabase) => Promise<Result>,
): Promise<Result> {
  // A pool of one, so that the lock, the ORM's statements and the end of the transaction share a connection.
  // A migration may take long: it is the operator's to watch.
  const database = await openPostgresDatabase({ ...options, poolSize: 1, statementTimeout: 0 })
  try {
    return await work(createPostgresOrm(database), database)
  } finally {
    await database.pool.end()
  }
}

async function pendingIn({ migrator }: MikroORM): Promise<readonly string[]> {
  return pendingMigrations(
    (await migrator.getExecuted()).map(({ name }) => name),
    MIGRATIONS,
  )
}
