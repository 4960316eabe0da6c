import { setTimeout } from 'node:timers/promises'
import type { MigrationState } from '@pet-store/persistence'
import { migrationState, pendingMigrations } from '@pet-store/persistence-mikro-orm'
import type { Pool } from 'pg'
import { openPostgresDatabase, type PostgresDatabase, reasonOf } from './database.ts'
import { createPostgresOrm, MIGRATIONS } from './orm.ts'
import type { PostgresOptions } from './settings.ts'
import { sqlStateOf } from './unavailable.ts'

/** Any number that other programs on the same database do not use; these are the bytes of `pets`. */
const LOCK = 0x70657473
/** A migration that waits for a lock makes everything behind it wait too, so it gives way and tries again. */
const LOCK_TIMEOUT_MS = 2_000
const RETRY_PAUSE_MS = 500
const DEFAULT_MAX_WAIT_MS = 60_000
const LOCK_NOT_AVAILABLE = '55P03'
const NO_SUCH_DATABASE = '3D000'

/**
 * Brings the schema up to date and returns the names of the migrations that were missing. Any number of programs may call
 * it at once. Rejects with one sentence that names host and database, also if a lock is not free within
 * `migrationWaitMs`.
 */
export function migratePostgres(options: PostgresOptions): Promise<readonly string[]> {
  return withDatabase(options, async (database) => {
    try {
      return await runMigrations(database, options.migrationWaitMs ?? DEFAULT_MAX_WAIT_MS)
    } catch (error) {
      throw new Error(`Cannot migrate the PostgreSQL database ${database.place}: ${reasonOf(error)}.`, { cause: error })
    }
  })
}

/** Returns which migrations a database has and lacks. Writes and locks nothing. */
export async function readPostgresMigrations(options: PostgresOptions): Promise<MigrationState> {
  try {
    return await withDatabase(options, async ({ pool }) => migrationState(await appliedMigrations(pool), MIGRATIONS))
  } catch (error) {
    if (sqlStateOf((error as Error).cause) === NO_SUCH_DATABASE) return migrationState(undefined, MIGRATIONS)
    throw error
  }
}

/** Rejects with one sentence that names the migrations that the schema lacks. */
export function expectMigrated(options: PostgresOptions): Promise<void> {
  return withDatabase(options, async ({ pool }) => {
    expectNonePending(migrationState(await appliedMigrations(pool), MIGRATIONS))
  })
}

/**
 * Rejects with one sentence that names the migrations that the schema lacks, or those that a newer version of this program
 * has added. Serving works beside one; copying would lose what it has added.
 */
export async function expectCurrentSchema({ pool, place }: PostgresDatabase): Promise<void> {
  const state = migrationState(await appliedMigrations(pool), MIGRATIONS)
  expectNonePending(state)
  if (state.newer.length === 0) return
  throw new Error(
    `The PostgreSQL database ${place} has migrations of a newer version: ${state.newer.join(', ')}. Use that version.`,
  )
}

function expectNonePending({ pending }: MigrationState): void {
  if (pending.length === 0) return
  throw new Error(`The PostgreSQL database must be migrated first: it lacks ${pending.join(', ')}.`)
}

async function runMigrations(database: PostgresDatabase, maxWaitMs: number): Promise<readonly string[]> {
  for (const end = performance.now() + maxWaitMs; ; await setTimeout(RETRY_PAUSE_MS * (0.5 + Math.random()))) {
    try {
      // Without the lock first: most starts have nothing to do, and wait for nobody.
      if (pendingMigrations(await appliedMigrations(database.pool), MIGRATIONS).length === 0) return []
      return await runPending(database)
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error
      if (performance.now() < end) continue
      throw new Error(`another session has held a lock for ${maxWaitMs / 1_000} s`, { cause: error })
    }
  }
}

/**
 * Runs what is missing in one transaction, all or nothing. MikroORM's migrator takes no lock: of two programs that start
 * together, one would fail. The lock belongs to the transaction, so it works behind a pooler in transaction mode too.
 */
async function runPending(database: PostgresDatabase): Promise<readonly string[]> {
  const { pool } = database
  await pool.query('begin')
  try {
    await pool.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await pool.query(`select pg_advisory_xact_lock(${LOCK})`)
    const migrations = pendingMigrations(await appliedMigrations(pool), MIGRATIONS)
    await createPostgresOrm(database).migrator.up({ migrations: [...migrations] })
    await pool.query('commit')
    return migrations
  } catch (error) {
    // If the connection is lost, the server has rolled back already.
    await pool.query('rollback').catch(() => {})
    throw error
  }
}

/** The migrator itself would create its table. */
async function appliedMigrations(pool: Pool): Promise<readonly string[]> {
  const { rows: tables } = await pool.query<{ name: string | null }>("select to_regclass('migration')::text as name")
  if ((tables[0]?.name ?? null) === null) return []
  const { rows } = await pool.query<{ name: string }>('select name from migration order by id')
  return rows.map(({ name }) => name)
}

async function withDatabase<Result>(
  options: PostgresOptions,
  work: (database: PostgresDatabase) => Promise<Result>,
): Promise<Result> {
  // A pool of one, so that the lock, the ORM's statements and the end of the transaction share a connection. Without a
  // limit for statements: how long a migration may take is the operator's decision.
  const database = await openPostgresDatabase({ ...options, poolSize: 1, statementTimeoutMs: 0 })
  try {
    return await work(database)
  } finally {
    await database.pool.end()
  }
}
