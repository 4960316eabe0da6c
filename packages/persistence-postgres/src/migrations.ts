import { setTimeout } from 'node:timers/promises'
import type { MigrationState } from '@pet-store/persistence'
import {
  appliedMigrations,
  assertMigrated,
  assertNotNewer,
  migrationState,
} from '@pet-store/persistence-mikro-orm'
import { migrationObstacleOf } from './database/checks/migration-obstacle.ts'
import { openPostgresDatabase, type PostgresDatabase, reasonOf } from './database/database.ts'
import { POSTGRES_DIALECT } from './database/dialect.ts'
import { isConflict, isLockTimeout, sqlStateOf } from './database/failures.ts'
import { withRetries } from './database/retries.ts'
import type { PostgresOptions } from './database/settings.ts'
import { ormConnectionOn } from './driver/orm-connection.ts'
import { inWriteTransaction } from './driver/transaction.ts'
import { createPostgresOrm } from './orm.ts'
import { MIGRATIONS } from './schema.ts'

/**
 * The number of the advisory lock: any that other programs on the same database do not use. These
 * are the bytes of `pets`.
 */
const LOCK = 0x70657473
/**
 * A migration that waits for a lock makes every later statement wait too, so it stops waiting after
 * this time and tries again.
 */
const LOCK_TIMEOUT_MS = 2_000
const RETRY_PAUSE_MS = 500
const DEFAULT_MAX_WAIT_MS = 60_000
const NO_SUCH_DATABASE = '3D000'

// These are not the types of the ORM's PostgreSQL package. The declarations of this file would then
// need the types of its driver, which do not compile everywhere.
type EntityManager = Parameters<typeof appliedMigrations>[1]
interface Orm {
  readonly em: { fork(): EntityManager }
}

/**
 * Brings the schema up to date and returns the names of the migrations that were missing. Any
 * number of programs may call it at the same time. Rejects with an error that names host and
 * database; so it does if a lock is not free within `migrationWaitMs`.
 */
export function migratePostgres(options: PostgresOptions): Promise<readonly string[]> {
  return withDatabase(options, async (database, { em }) => {
    // Most calls have nothing to do, so this looks before it takes the lock.
    const { pending, obstacle } = await stateOf(database, em.fork())
    if (pending.length === 0) return []
    if (obstacle !== undefined)
      throw new Error(`Cannot migrate the ${nameOf(database)}: ${obstacle}.`)
    try {
      return await runMigrations(database, options.migrationWaitMs ?? DEFAULT_MAX_WAIT_MS)
    } catch (error) {
      throw new Error(`Cannot migrate the ${nameOf(database)}: ${reasonOf(error)}.`, {
        cause: error,
      })
    }
  })
}

/** Returns which migrations a database has and lacks. Writes and locks nothing. */
export async function readPostgresMigrations(options: PostgresOptions): Promise<MigrationState> {
  try {
    return await withDatabase(options, (database, { em }) => stateOf(database, em.fork()))
  } catch (error) {
    if (sqlStateOf((error as Error).cause) !== NO_SUCH_DATABASE) throw error
    return migrationState('PostgreSQL database', undefined, MIGRATIONS)
  }
}

/**
 * Runs pending migrations if `mode` is `migrate`; otherwise rejects with an error that names them.
 * Also rejects if there are migrations of a newer version, unless `mayBeNewer`. Opens further
 * connections only if there is something to migrate.
 */
export async function migrateIfAllowed(
  database: PostgresDatabase,
  { em }: Orm,
  options: PostgresOptions,
  { mayBeNewer }: { readonly mayBeNewer: boolean },
): Promise<void> {
  const state = await stateOf(database, em.fork())
  if (state.pending.length > 0 && options.mode === 'migrate') await migratePostgres(options)
  else assertMigrated(nameOf(database), state)
  if (!mayBeNewer) assertNotNewer(nameOf(database), state)
}

async function runMigrations(
  database: PostgresDatabase,
  maxWaitMs: number,
): Promise<readonly string[]> {
  for (
    const end = performance.now() + maxWaitMs;
    ;
    await setTimeout(RETRY_PAUSE_MS * (0.5 + Math.random()))
  ) {
    try {
      return await migrateInTransaction(database)
    } catch (error) {
      const isLocked = isLockTimeout(error)
      if (!isLocked && !isConflict(error)) throw error
      if (performance.now() < end) continue
      if (!isLocked) throw error
      throw new Error(`another session has held a lock for ${maxWaitMs / 1_000} s`, {
        cause: error,
      })
    }
  }
}

/**
 * Runs all pending migrations or none, and returns their names. It takes a lock, because MikroORM's
 * migrator does not: of two programs that start together, one would fail. The lock belongs to the
 * transaction, so that it also works behind a pooler in transaction mode.
 */
function migrateInTransaction(database: PostgresDatabase): Promise<readonly string[]> {
  // The transaction is read committed: a program that has waited for the lock must see the
  // migrations that another one has run meanwhile.
  return inWriteTransaction(database.pool, async (client) => {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query(`select pg_advisory_xact_lock(${LOCK})`)
    const schemas = await client.query<{ schema: string }>('select current_schema() as schema')
    const schema = schemas.rows[0]?.schema
    // The ORM divides names at a dot.
    const named = schema?.includes('.') ? undefined : schema
    const orm = createPostgresOrm(database, ormConnectionOn(client), named)
    const applied = await appliedMigrations(nameOf(database), orm.em.fork(), POSTGRES_DIALECT)
    const { pending } = migrationState(nameOf(database), applied, MIGRATIONS)
    if (pending.length > 0) await orm.migrator.up()
    return pending
  })
}

/** Which migrations a database has and lacks. */
export async function stateOf(
  database: PostgresDatabase,
  em: EntityManager,
): Promise<MigrationState> {
  const applied = await withRetries(() => appliedMigrations(nameOf(database), em, POSTGRES_DIALECT))
  const state = migrationState(nameOf(database), applied, MIGRATIONS)
  const obstacle = state.database === 'empty' ? await migrationObstacleOf(database.pool) : undefined
  return { ...state, ...(obstacle !== undefined && { obstacle }) }
}

function nameOf({ address }: PostgresDatabase): string {
  return `PostgreSQL database ${address}`
}

async function withDatabase<Result>(
  options: PostgresOptions,
  work: (database: PostgresDatabase, orm: Orm) => Promise<Result>,
): Promise<Result> {
  // Statements have no time limit: the operator decides how long a migration may take.
  const database = await openPostgresDatabase({ ...options, poolSize: 1, statementTimeoutMs: 0 })
  try {
    return await work(database, createPostgresOrm(database))
  } finally {
    await database.pool.end()
  }
}
