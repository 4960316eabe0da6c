import { isPetError } from '@pet-store/domain'
import type { DatabaseServer, OnStatement } from '@pet-store/persistence'
import pg, { type Pool } from 'pg'
import { isLostStatement, sqlStateOf } from './failures.ts'
import { withRetries } from './retries.ts'
import { type ConnectionOptions, type Pooler, poolConfig } from './settings.ts'

/** Connections to one database. */
export interface PostgresDatabase {
  /** Its name on the server. */
  readonly name: string
  /** Host and database, for messages. */
  readonly address: string
  readonly server: DatabaseServer
  readonly pooler: Pooler
  readonly onStatement: OnStatement | undefined
  readonly pool: pg.Pool
}

/**
 * Opens connections to a database and resolves when one works. Rejects with an error that names
 * host and database; the driver's error is its cause.
 */
export async function openPostgresDatabase(options: ConnectionOptions): Promise<PostgresDatabase> {
  const database = createPostgresDatabase(options)
  try {
    const name = await assertUsable(database.pool, options)
    return { ...database, name, server: { ...database.server, database: name } }
  } catch (error) {
    await database.pool.end()
    throw cannotOpen(database.address, error)
  }
}

/** A database by its URL, which it is named after. Opens no connection yet. */
export function createPostgresDatabase(options: ConnectionOptions): PostgresDatabase {
  const address = addressOf(options.url)
  const config = poolConfig(options)
  const pool = new pg.Pool(config)
  // The pool has dropped such a connection already, and the next statement opens another. Without
  // these listeners a restart of the server would end the program: the first is for idle
  // connections, the second for those in use.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
  })
  const { host, port, database: name = '' } = clientOf(config, address)
  const { pooler = 'none', onStatement } = options
  const server = { system: 'postgresql', host, port, database: name }
  return { name, address, server, pooler, onStatement, pool }
}

/** The driver reads the files that the URL names, such as a certificate. */
function clientOf(config: pg.PoolConfig, address: string): pg.Client {
  try {
    return new pg.Client(config)
  } catch (error) {
    throw cannotOpen(address, error)
  }
}

/**
 * With `array_nulls = off` the server takes the NULL of a list, such as the status of a pet that
 * has none, for a text of four letters.
 */
const PROPERTIES = `select current_database() as name,
  current_setting('server_encoding') as encoding, ('{NULL}'::text[])[1] is null as "hasNulls"`

/** Returns the name of the database on its server. Rejects if pets cannot be kept there. */
export async function assertUsable(pool: Pool, options: ConnectionOptions): Promise<string> {
  const { rows } = await withRetries(() =>
    pool.query<{ name: string; encoding: string; hasNulls: boolean }>(PROPERTIES),
  )
  const { name = '', encoding = '', hasNulls = false } = rows[0] ?? {}
  if (encoding !== 'UTF8')
    throw new Error(`its encoding is ${encoding}, and names of pets need UTF8`)
  if (!hasNulls)
    throw new Error('its setting array_nulls is off, and pets without a status need it on')
  await assertKeepsTransactions(pool)
  await assertKeepsStatements(pool, options)
  return name
}

export function cannotOpen(address: string, cause: unknown): Error {
  return new Error(`Cannot open the PostgreSQL database ${address}: ${reasonOf(cause)}.`, { cause })
}

/** Returns host and database of a URL, without the password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url)
  return JSON.stringify(`${host}${pathname}`)
}

/**
 * Servers accept every parameter that we send when a connection starts; poolers, in whatever mode,
 * few, and call the others a violation of the protocol.
 */
const PROTOCOL_VIOLATION = '08P01'
const POOLER_HINT =
  'if there is a pooler before the server, set its kind with the option pooler (DATABASE_POOLER)'

/** Returns the reason of an error, without the full stop. */
export function reasonOf(error: unknown): string {
  if (isPetError(error) && error.cause !== undefined) return reasonOf(error.cause)
  // A name with several addresses fails with one error for each, and no message of its own.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  return sqlStateOf(error) === PROTOCOL_VIOLATION ? `${message}; ${POOLER_HINT}` : message
}

const NO_TRANSACTIONS_HINT =
  'a pooler in statement mode is not supported: it needs transaction mode, or session mode'
export const NO_STATEMENTS_HINT: string =
  'the pooler keeps no prepared statements, as PgBouncer before 1.21 or with ' +
  'max_prepared_statements = 0, ' +
  'so set the option pooler (DATABASE_POOLER) to transaction-unprepared'

/**
 * Rejects behind a pooler in statement mode, which fails every transaction of several statements:
 * migrations and imports.
 */
async function assertKeepsTransactions(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('rollback')
    client.release()
  } catch (error) {
    client.release(true)
    if (sqlStateOf(error) !== PROTOCOL_VIOLATION) throw error
    const { message } = error as Error
    throw new Error(`${message}; ${NO_TRANSACTIONS_HINT}`, { cause: error })
  }
}

/**
 * Rejects if the option `pooler` is wrong, so that whatever opens the database first finds it, and
 * not the requests. A pooler in transaction mode that keeps no statements gives a connection
 * another one of the server, where what it has prepared is missing, or two of them the same, where
 * it is there already.
 */
async function assertKeepsStatements(pool: Pool, options: ConnectionOptions): Promise<void> {
  if (options.pooler === 'transaction-unprepared') return
  // As for requests: a pooler may reject the time limit, which migrations do not have.
  const { statementTimeoutMs: _, ...asServed } = options
  const other = new pg.Client(poolConfig(asServed))
  other.on('error', () => {})
  const one = await pool.connect()
  try {
    await other.connect()
    const probe = { name: 'pooler_probe', text: 'select 1' }
    for (const client of [one, one, other]) await withRetries(() => client.query(probe))
  } catch (error) {
    throw isLostStatement(error) ? new Error(NO_STATEMENTS_HINT, { cause: error }) : error
  } finally {
    one.release()
    await other.end()
  }
}
