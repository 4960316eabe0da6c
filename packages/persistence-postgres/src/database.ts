import pg from 'pg'
import { type PostgresOptions, poolConfig } from './settings.ts'

/** Connections to one database. */
export interface PostgresDatabase {
  /** Its name on the server. */
  readonly name: string
  /** Host and database, for people to read. */
  readonly place: string
  readonly pool: pg.Pool
}

/**
 * Opens connections to a database, and answers only when one works.
 * Rejects with one sentence that names host and database; the driver's error is its cause.
 */
export async function openPostgresDatabase(options: PostgresOptions): Promise<PostgresDatabase> {
  const pool = new pg.Pool(poolConfig(options))
  // The pool has dropped such a connection already, and the next statement opens another; without a listener a
  // restart of the server would end the program.
  pool.on('error', () => {})
  try {
    const { rows } = await pool.query<{ name: string }>('select current_database() as name')
    return { name: rows[0]?.name ?? '', place: placeOf(options.url), pool }
  } catch (error) {
    await pool.end()
    throw new Error(`Cannot open the PostgreSQL database ${placeOf(options.url)}: ${reasonOf(error)}.`, {
      cause: error,
    })
  }
}

/** Host and database of a URL, without the password. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return JSON.stringify(`${host}${pathname}`)
}

/** Servers take every parameter that we give at the start of a connection; poolers, in whatever mode, few. */
const POOLER_HINT = 'a pooler stands in between, so say which kind with the option pooler (DATABASE_POOLER)'

/** What went wrong, without the full stop. */
export function reasonOf(error: unknown): string {
  // A name with several addresses fails with one error for each, and no message of its own.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  return message.includes('unsupported startup parameter') ? `${message}; ${POOLER_HINT}` : message
}
