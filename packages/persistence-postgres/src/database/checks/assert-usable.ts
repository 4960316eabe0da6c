import type { Pool } from 'pg'
import { isLostStatement, isProtocolViolation } from '../failures.ts'
import { withRetries } from '../retries.ts'
import { type ConnectionOptions, poolConfig } from '../settings.ts'

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
    if (!isProtocolViolation(error)) throw error
    const { message } = error as Error
    throw new Error(`${message}; ${NO_TRANSACTIONS_HINT}`, { cause: error })
  }
}

/**
 * Rejects if the option `pooler` is wrong, so that this is found when the database is opened and
 * not by requests. A pooler in transaction mode may lack support for prepared statements. It may
 * then run a statement on a connection of the server on which it was not prepared, or prepare it
 * where another client has prepared it already.
 */
async function assertKeepsStatements(pool: Pool, options: ConnectionOptions): Promise<void> {
  if (options.pooler === 'transaction-unprepared') return
  // With the same options as for requests: a pooler may reject their time limit, which the options
  // of migrations do not have.
  const { statementTimeoutMs: _, ...asServed } = options
  const config = poolConfig(asServed)
  const other = new config.Client(config)
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
