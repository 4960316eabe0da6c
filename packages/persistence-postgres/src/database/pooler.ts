import pg, { type Pool } from 'pg'
import { withRetries } from './retries.ts'
import { type ConnectionOptions, poolConfig } from './settings.ts'
import { isLostStatement } from './unavailable.ts'

export const NO_STATEMENTS_HINT =
  'the pooler keeps no prepared statements, as PgBouncer before 1.21 or with max_prepared_statements = 0, so set the option pooler (DATABASE_POOLER) to transaction-unprepared'

const PREPARED = { name: 'pooler_probe', text: 'select 1' }

/**
 * Rejects if the option `pooler` is wrong, so that whatever opens the database first finds it, and not the requests. A
 * pooler in transaction mode that keeps no statements gives a connection another one of the server, where what it has
 * prepared is missing, or two of them the same, where it is there already.
 */
export async function assertKeepsStatements(pool: Pool, options: ConnectionOptions): Promise<void> {
  if (options.pooler === 'transaction-unprepared') return
  // As for requests: a pooler may reject the time limit, which migrations do not have.
  const { statementTimeoutMs: _, ...asServed } = options
  const other = new pg.Client(poolConfig(asServed))
  other.on('error', () => {})
  const one = await pool.connect()
  try {
    await other.connect()
    for (const client of [one, one, other]) await withRetries(() => client.query(PREPARED))
  } catch (error) {
    throw isLostStatement(error) ? new Error(NO_STATEMENTS_HINT, { cause: error }) : error
  } finally {
    one.release()
    await other.end()
  }
}
