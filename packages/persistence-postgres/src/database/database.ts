import type { DatabaseServer } from '@pet-store/persistence'
import pg from 'pg'
import { assertKeepsStatements } from './pooler.ts'
import { withRetries } from './retries.ts'
import { type ConnectionOptions, poolConfig } from './settings.ts'

/** Connections to one database. */
export interface PostgresDatabase {
  /** Its name on the server. */
  readonly name: string
  /** Host and database, for messages. */
  readonly address: string
  readonly server: DatabaseServer
  readonly pool: pg.Pool
}

/**
 * Opens connections to a database and resolves when one works. Rejects with one sentence that names host and database;
 * the driver's error is its cause.
 */
export async function openPostgresDatabase(options: ConnectionOptions): Promise<PostgresDatabase> {
  const pool = new pg.Pool(poolConfig(options))
  // The pool has dropped such a connection already, and the next statement opens another. Without these listeners a
  // restart of the server would end the program: the first is for idle connections, the second for those in use.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
  })
  const address = addressOf(options.url)
  try {
    const { rows } = await withRetries(() =>
      pool.query<{ name: string; encoding: string }>(
        "select current_database() as name, current_setting('server_encoding') as encoding",
      ),
    )
    const { name = '', encoding = '' } = rows[0] ?? {}
    if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, and names of pets need UTF8`)
    await assertKeepsStatements(pool, options)
    const { host, port } = new pg.Client(poolConfig(options))
    return { name, address, server: { system: 'postgresql', host, port, database: name }, pool }
  } catch (error) {
    await pool.end()
    throw cannotOpen(address, error)
  }
}

export function cannotOpen(address: string, cause: unknown): Error {
  return new Error(`Cannot open the PostgreSQL database ${address}: ${reasonOf(cause)}.`, { cause })
}

/** Returns host and database of a URL, without the password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url)
  return JSON.stringify(`${host}${pathname}`)
}

/** Servers accept every parameter that we send when a connection starts; poolers, in whatever mode, few. */
const POOLER_HINT = 'there is a pooler before the server, so set its kind with the option pooler (DATABASE_POOLER)'

/** Returns the reason of an error, without the full stop. */
export function reasonOf(error: unknown): string {
  // A name with several addresses fails with one error for each, and no message of its own.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  return message.includes('unsupported startup parameter') ? `${message}; ${POOLER_HINT}` : message
}
