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

/** Makes a database from its URL, without opening a connection yet. */
export function createPostgresDatabase(options: ConnectionOptions): PostgresDatabase {
  const address = addressOf(options.url)
  const config = poolConfig(options)
  const pool = new pg.Pool(config)
  // Without these listeners, for idle connections and for those in use, an error of a connection,
  // such as at a restart of the server, would end the program. The pool drops the connection by
  // itself, and the next statement opens another one.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
  })
  const { host, port, database: name = '' } = clientOf(config, address)
  const { pooler = 'none', onStatement } = options
  const server = { system: 'postgresql', host, port, database: name }
  return { name, address, server, pooler, onStatement, pool }
}

/**
 * Makes a client only for the host, the port and the database that the driver finds in the URL. It
 * throws if a file that the URL names, such as a certificate, cannot be read.
 */
function clientOf(config: pg.PoolConfig, address: string): pg.Client {
  try {
    return new pg.Client(config)
  } catch (error) {
    throw cannotOpen(address, error)
  }
}

/**
 * With `array_nulls = off` the server would read a NULL in an array, such as the status of a pet
 * that has none, as the text "NULL".
 */
const PROPERTIES = `select current_database() as name,
  current_setting('server_encoding') as encoding, ('{NULL}'::text[])[1] is null as "hasNulls"`

/**
 * Returns the name of the database on its server. Rejects with the reason if the database, or a
 * pooler before it, is set up so that pets cannot be stored.
 */
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

/** The error for a database that cannot be opened. */
export function cannotOpen(address: string, cause: unknown): Error {
  return new Error(`Cannot open the PostgreSQL database ${address}: ${reasonOf(cause)}.`, { cause })
}

/** Returns host and database of a URL, without user and password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url)
  return JSON.stringify(`${host}${pathname}`)
}

/**
 * The error of a pooler that rejects a parameter at the start of a connection. Poolers accept only
 * a few parameters in any mode; servers accept all that the driver sends.
 */
const PROTOCOL_VIOLATION = '08P01'
const POOLER_HINT =
  'if there is a pooler before the server, set its kind with the option pooler (DATABASE_POOLER)'

/** Returns the message that says why something failed, without the full stop. */
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
 * Rejects behind a pooler in statement mode, where no transaction can have several statements, as
 * migrations and imports do.
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
 * Rejects if the option `pooler` is wrong, so that this is found when the database is opened and
 * not by requests. Without support for prepared statements, a pooler in transaction mode may run a
 * statement on a connection of the server on which it was not prepared, or prepare it on one on
 * which another client has prepared it already.
 */
async function assertKeepsStatements(pool: Pool, options: ConnectionOptions): Promise<void> {
  if (options.pooler === 'transaction-unprepared') return
  // With the same options as for requests: a pooler may reject their time limit, which the options
  // of migrations do not have.
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
