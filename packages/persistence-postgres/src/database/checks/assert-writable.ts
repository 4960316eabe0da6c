import { persistenceUnavailable } from '@pet-store/domain'
import type { ClientBase, Pool } from 'pg'
import { wasOpenedAfter } from '../connection-age.ts'
import { isDivided, mayWorkOnAnother, ReadOnlyConnection } from '../failures.ts'
import { exactNextIdOf, hasId, nextIdOf, readSequence } from '../pet-id-sequence.ts'
import { withRetries } from '../retries.ts'
import { assertPrimary } from './assert-primary.ts'
import { assertPrimaryKeys } from './assert-primary-keys.ts'
import { assertRowsVisible, securedTables } from './assert-rows-visible.ts'
import { assertWritableColumns } from './assert-writable-columns.ts'

/** The rights that the operations need, each with the expression that says if the user has it. */
const RIGHTS: Readonly<Record<string, string>> = {
  'select on pet': "has_table_privilege('pet', 'select')",
  'insert on pet': "has_table_privilege('pet', 'insert')",
  // If there is none, `readSequence` says so.
  'usage on the sequence of pet':
    "coalesce(has_sequence_privilege(pg_get_serial_sequence('pet', 'id'), 'usage'), true)",
  'select on idempotency_key': "has_table_privilege('idempotency_key', 'select')",
  'insert on idempotency_key': "has_table_privilege('idempotency_key', 'insert')",
  'select on api_key': "has_table_privilege('api_key', 'select')",
}

/** The rights that counting requests needs too. Without them every request is rejected. */
const COUNTING_RIGHTS: Readonly<Record<string, string>> = {
  'select on request_count': "has_table_privilege('request_count', 'select')",
  'insert on request_count': "has_table_privilege('request_count', 'insert')",
  'update on request_count': "has_table_privilege('request_count', 'update')",
}

const SECURED_TABLES = ['pet', 'idempotency_key', 'api_key', 'migration']
const COUNTING_TABLES = ['request_count']

const IS_TAKEN = 'select 1 from pet where id = $1'

/** What a database is used for beyond storing pets, and how its tables are stored. */
interface Use {
  readonly isDistributed: boolean
  /** Whether requests are counted in the database, for a rate limit. */
  readonly countsRequests: boolean
}

/**
 * Rejects with the reason if no pet can be stored at present, in which case every creation rejects
 * too. Called often, so it is cheap. If the table of pets `isDistributed`, it is not read: while
 * one of several servers is down, that fails, but the pets of the other servers are served.
 */
export async function assertWritable(pool: Pool, use: Use): Promise<void> {
  await assertRights(pool, use)
  await assertWritableColumns(pool)
  await assertPrimaryKeys(pool, use.countsRequests ? COUNTING_TABLES : [])
  const sequence = await readSequence(pool)
  const nextId = nextIdOf(sequence)
  if (!hasId(sequence, nextId)) throw unavailable('There are no more ids for pets.')
  if (use.isDistributed || !(await isTaken(pool, nextId))) return
  // If a pet was added between the two statements, it took its id from the sequence, whose next id
  // is another one now.
  if (nextIdOf(await readSequence(pool)) !== nextId) return
  const exactId = await exactNextIdOf(pool, sequence)
  const isExact = exactId === nextId
  if (!isExact && !(await isTaken(pool, exactId))) return
  if (!isExact && (await exactNextIdOf(pool, await readSequence(pool))) !== exactId) return
  // The user may lack the right to see that the sequence was restarted.
  const orRestarted =
    sequence.last === null && !sequence.isReadable
      ? ', or was restarted, which this user may not see (grant select on it)'
      : ''
  throw unavailable(
    `The next id, ${exactId}, is taken: the sequence of the ids of pets is behind the table` +
      `${orRestarted}. ` +
      "Run select setval(pg_get_serial_sequence('pet', 'id'), max(id)) from pet.",
  )
}

/** Reads only the catalogs. Fails if a table is missing. */
async function assertRights(pool: Pool, { countsRequests }: Use): Promise<void> {
  const rights = countsRequests ? { ...RIGHTS, ...COUNTING_RIGHTS } : RIGHTS
  const columns = Object.entries(rights).map(([right, isThere]) => `${isThere} as "${right}"`)
  const tables = countsRequests ? [...SECURED_TABLES, ...COUNTING_TABLES] : SECURED_TABLES
  const sql = `select current_setting('transaction_read_only') = 'on' as "read-only",
    ${columns.join(', ')}, ${securedTables(tables)}`
  const state = await withRetries(() => readState(pool, sql))
  const missing = Object.keys(rights).filter((right) => !state[right])
  if (missing.length > 0)
    throw unavailable(`The user of the database lacks the right to ${missing.join(', ')}.`)
  await assertRowsVisible(pool, state)
}

/**
 * Closes each connection that is read-only or does not find the tables, until one works or a new
 * one fails in the same way: a new one may lead to the primary, or have other settings.
 */
async function readState(pool: Pool, sql: string): Promise<Record<string, boolean>> {
  const beganAtMs = performance.now()
  for (;;) {
    const client = await pool.connect()
    try {
      const state = await readStateOn(client, sql)
      client.release()
      return state
    } catch (error) {
      client.release(true)
      if (!mayWorkOnAnother(error) || wasOpenedAfter(client, beganAtMs)) throw error
    }
  }
}

async function readStateOn(client: ClientBase, sql: string): Promise<Record<string, boolean>> {
  const { rows } = await client.query<Record<string, boolean>>(sql)
  const state = rows[0] ?? {}
  if (state['read-only']) {
    await assertPrimary(client).catch((error: unknown) => {
      if (!isDivided(error)) return
      const message = `The database cannot be used: ${(error as Error).message}.`
      throw persistenceUnavailable({ message, cause: error })
    })
    const message = 'The database is read-only: a standby, or set to be read-only.'
    const cause = new ReadOnlyConnection('transaction_read_only is on')
    throw persistenceUnavailable({ message, cause })
  }
  return state
}

async function isTaken(pool: Pool, id: bigint): Promise<boolean> {
  return (await withRetries(() => pool.query(IS_TAKEN, [id]))).rowCount !== 0
}

function unavailable(message: string): Error {
  return persistenceUnavailable({ message })
}
