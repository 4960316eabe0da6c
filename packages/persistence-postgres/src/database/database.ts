import { DriverException } from '@mikro-orm/core'
import { isPetError } from '@pet-store/domain'
import type { DatabaseServer, OnStatement } from '@pet-store/persistence'
import pg from 'pg'
import { assertUsable } from './checks/assert-usable.ts'
import { noteOpening } from './connection-age.ts'
import { isProtocolViolation } from './failures.ts'
import { type ConnectionOptions, type DriverOptions, type Pooler, poolConfig } from './settings.ts'

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
    noteOpening(client)
    client.on('error', () => {})
  })
  const { host, port, database: name = '' } = clientOf(config, address)
  const { pooler = 'none', onStatement } = options
  const server = { system: 'postgresql', host, port, database: name }
  return { name, address, server, pooler, onStatement, pool }
}

/**
 * Makes a client only for the host, the port and the database that the driver finds in the URL and
 * in variables such as PGPORT. It throws if a file that the URL names, such as a certificate,
 * cannot be read, or if the port is none. A pool that fails to use it could never be closed.
 */
function clientOf(config: DriverOptions, address: string): pg.Client {
  try {
    const client = new config.Client(config)
    assertPort(client.port)
    return client
  } catch (error) {
    throw cannotOpen(address, error)
  }
}

function assertPort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return
  throw new RangeError(`the port must be an integer from 0 to 65535, not ${port}`)
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

const POOLER_HINT =
  'if there is a pooler before the server, set its kind with the option pooler (DATABASE_POOLER)'

/** Returns the message that says why something failed, without the full stop. */
export function reasonOf(error: unknown): string {
  const isWrapper = isPetError(error) || error instanceof DriverException
  if (isWrapper && error.cause instanceof Error) return reasonOf(error.cause)
  // A name with several addresses fails with one error for each, and no message of its own.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  return isProtocolViolation(error) ? `${message}; ${POOLER_HINT}` : message
}
