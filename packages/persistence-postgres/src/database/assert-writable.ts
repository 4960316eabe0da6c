import { INT64, persistenceUnavailable } from '@pet-store/domain'
import type { Pool } from 'pg'
import { withRetries } from './retries.ts'

/** The rights that the operations need, each with the expression that says if the user has it. */
const RIGHTS: Readonly<Record<string, string>> = {
  'select on pet': "has_table_privilege('pet', 'select')",
  'insert on pet': "has_table_privilege('pet', 'insert')",
  'usage on the sequence of pet':
    "has_sequence_privilege(pg_get_serial_sequence('pet', 'id'), 'usage')",
  'select on idempotency_key': "has_table_privilege('idempotency_key', 'select')",
  'insert on idempotency_key': "has_table_privilege('idempotency_key', 'insert')",
  'select on api_key': "has_table_privilege('api_key', 'select')",
}

/**
 * Reads only the catalogs. While one of several servers is down, a distributed table cannot be
 * read, but the pets of the other servers are served. Fails if a table is missing.
 */
const STATE = `select current_setting('transaction_read_only') = 'on' as "read-only",
  ${Object.entries(RIGHTS)
    .map(([right, isThere]) => `${isThere} as "${right}"`)
    .join(', ')}`
const LAST_ID = "select pg_sequence_last_value(pg_get_serial_sequence('pet', 'id')::regclass) as id"
const IS_TAKEN = 'select 1 from pet where id = $1'

/**
 * Rejects with the reason if no pet can be stored at present, in which case every creation rejects
 * too. Called often, so it is cheap. If the table of pets `isDistributed`, it is not read: see
 * `STATE`.
 */
export async function assertWritable(pool: Pool, isDistributed: boolean): Promise<void> {
  const states = await withRetries(() => pool.query<Record<string, boolean>>(STATE))
  const state = states.rows[0] ?? {}
  if (state['read-only'])
    throw unavailable('The database is read-only: a standby, or set to be read-only.')
  const missing = Object.keys(RIGHTS).filter((right) => !state[right])
  if (missing.length > 0)
    throw unavailable(`The user of the database lacks the right to ${missing.join(', ')}.`)

  const nextId = await nextIdOf(pool)
  if (nextId > INT64.max) throw unavailable('There are no more ids for pets.')
  if (isDistributed) return
  const { rowCount } = await withRetries(() => pool.query(IS_TAKEN, [nextId]))
  if (rowCount === 0) return
  // If a pet was added between the two statements, it took its id from the sequence, whose next id
  // is another one now.
  if ((await nextIdOf(pool)) === nextId) {
    throw unavailable(
      `The next id, ${nextId}, is taken: the sequence of the ids of pets is behind the table.`,
    )
  }
}

async function nextIdOf(pool: Pool): Promise<bigint> {
  const { rows } = await withRetries(() => pool.query<{ id: string | null }>(LAST_ID))
  return BigInt(rows[0]?.id ?? 0) + 1n
}

function unavailable(message: string): Error {
  return persistenceUnavailable({ message })
}
