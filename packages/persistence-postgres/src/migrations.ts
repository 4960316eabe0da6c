import { setTimeout } from 'node:timers/promises'
import type { MigrationState } from '@pet-store/persistence'
import { type AdapterMigration, migrationState, pendingMigrations } from '@pet-store/persistence-mikro-orm'
import type { Pool } from 'pg'
import { openPostgresDatabase, type PostgresDatabase, reasonOf } from './database.ts'
import { withRetries } from './driver/retry-conflicts.ts'
import { createPostgresOrm, MIGRATIONS } from './orm.ts'
import type { PostgresOptions } from './settings.ts'
import { isConflict, sqlStateOf } from './unavailable.ts'

/** Any number that other programs on the same database do not use; these are the bytes of `pets`. */
const LOCK = 0x70657473
/** A migration that waits for a lock makes everything behind it wait too, so it gives way and tries again. */
const LOCK_TIMEOUT_MS = 2_000
const RETRY_PAUSE_MS = 500
const MAX_CONFLICTS = 5
const DEFAULT_MAX_WAIT_MS = 60_000
const LOCK_NOT_AVAILABLE = '55P03'
/** Fails with that code if another session has the lock. */
const TRY_SESSION_LOCK = `do $$ begin
  if not pg_try_advisory_lock(${LOCK}) then raise sqlstate '${LOCK_NOT_AVAILABLE}'; end if;
end $$`
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
    return await withDatabase(options, stateOf)
  } catch (error) {
    if (sqlStateOf((error as Error).cause) === NO_SUCH_DATABASE) return migrationState(undefined, MIGRATIONS)
    throw error
  }
}

/**
 * Runs pending migrations if the options allow it; otherwise rejects with one sentence that names them. A database that
 * lacks none is asked over its own connections: most starts open no others.
 */
export async function ensureMigrated(database: PostgresDatabase, options: PostgresOptions): Promise<void> {
  const state = await stateOf(database)
  if (state.pending.length > 0 && options.migrate && !options.readOnly) await migratePostgres(options)
  else expectNonePending(state)
}

/**
 * Rejects with one sentence that names the migrations that the schema lacks, or those that a newer version of this program
 * has added. Serving works beside one; copying would lose what it has added.
 */
export async function expectCurrentSchema(database: PostgresDatabase): Promise<void> {
  const state = await stateOf(database)
  expectNonePending(state)
  if (state.newer.length === 0) return
  throw new Error(
    `The PostgreSQL database ${database.place} has migrations of a newer version: ${state.newer.join(', ')}. Use that version.`,
  )
}

async function stateOf({ pool }: PostgresDatabase): Promise<MigrationState> {
  return migrationState(await withRetries(() => appliedMigrations(pool)), MIGRATIONS)
}

function expectNonePending({ pending }: MigrationState): void {
  if (pending.length === 0) return
  throw new Error(`The PostgreSQL database must be migrated first: it lacks ${pending.join(', ')}.`)
}

/** Exported for tests, which have other migrations. */
export async function runMigrations(
  database: PostgresDatabase,
  maxWaitMs: number,
  list: readonly AdapterMigration[] = MIGRATIONS,
): Promise<readonly string[]> {
  const done: string[] = []
  let conflicts = 0
  for (const end = performance.now() + maxWaitMs; ; await setTimeout(RETRY_PAUSE_MS * (0.5 + Math.random()))) {
    try {
      // Without the lock first: most starts have nothing to do, and wait for nobody.
      while (nextMigrations(await appliedMigrations(database.pool), list).length > 0) {
        done.push(...(await runNext(database, list, maxWaitMs)))
      }
      return done
    } catch (error) {
      // What was in a transaction is rolled back, and what runs alone is repeatable.
      if (isConflict(error) && conflicts < MAX_CONFLICTS) {
        conflicts += 1
        continue
      }
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error
      if (performance.now() < end) continue
      throw new Error(`another session has held a lock for ${maxWaitMs / 1_000} s`, { cause: error })
    }
  }
}

/** Returns the migrations up to the next one that runs alone, or that one. */
function nextMigrations(applied: readonly string[], list: readonly AdapterMigration[]): readonly AdapterMigration[] {
  const names = new Set(pendingMigrations(applied, list))
  const pending = list.filter(({ name }) => names.has(name))
  const alone = pending.findIndex(({ runsAlone }) => runsAlone === true)
  return alone === -1 ? pending : pending.slice(0, Math.max(alone, 1))
}

/**
 * Runs what is next, all or nothing unless it runs alone. MikroORM's migrator takes no lock: of two programs that start
 * together, one would fail. In a transaction the lock belongs to it, so that it works behind a pooler in transaction mode
 * too. A migration that runs alone waits for every older snapshot, so others must not wait for its lock, but ask again.
 */
async function runNext(
  database: PostgresDatabase,
  list: readonly AdapterMigration[],
  maxWaitMs: number,
): Promise<readonly string[]> {
  const { pool } = database
  const isAlone = nextMigrations(await appliedMigrations(pool), list)[0]?.runsAlone === true
  if (!isAlone) await pool.query('begin')
  try {
    await pool.query(isAlone ? `set lock_timeout = ${maxWaitMs}` : `set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await pool.query(isAlone ? TRY_SESSION_LOCK : `select pg_advisory_xact_lock(${LOCK})`)
    const next = nextMigrations(await appliedMigrations(pool), list)
    // Another program may have run them meanwhile.
    const names = next.some(({ runsAlone }) => (runsAlone === true) !== isAlone) ? [] : next.map(({ name }) => name)
    if (names.length > 0) await createPostgresOrm(database, list).migrator.up({ migrations: names })
    await pool.query(isAlone ? `select pg_advisory_unlock(${LOCK})` : 'commit')
    return names
  } catch (error) {
    // If the connection is lost, the server has rolled back and unlocked already.
    await pool.query(isAlone ? `select pg_advisory_unlock(${LOCK})` : 'rollback').catch(() => {})
    throw error
  }
}

/** The migrator itself would create its table. */
async function appliedMigrations(pool: Pool): Promise<readonly string[]> {
  // Through a catalog, which makes the session take notice of tables that others have created since it looked last.
  const tables = await pool.query("select 1 from pg_class where oid = to_regclass('migration')")
  if (tables.rowCount === 0) return []
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
