import { setTimeout } from 'node:timers/promises'
import type { PetId } from '@pet-store/domain'
import type { Pool } from 'pg'
import { DATABASE_ID } from './database-id.ts'

const POLL_MS = 1_000
const LOCK_POLL_MS = 100

/**
 * A position of the primary's log at which every pet up to an id that will ever exist has been
 * committed.
 */
export interface Watermark {
  /** See `DATABASE_ID`. */
  readonly databaseId: string
  readonly petId: PetId
  readonly position: string
}

const LAST_ID = "select pg_sequence_last_value(pg_get_serial_sequence('pet', 'id')::regclass) as id"
/** The transactions that add pets, or may have: the lock stays until their end. */
const WRITERS = `select virtualtransaction as transaction from pg_locks
  where locktype = 'relation' and mode = 'RowExclusiveLock' and relation = 'pet'::regclass
  and database = (select oid from pg_database where datname = current_database())`
const POSITION = `select pg_current_wal_insert_lsn()::text as position,
  ${DATABASE_ID} as "databaseId"`

/**
 * Finds out which pets no transaction can still add, because ids are committed in another order
 * than they are assigned: takes the last id, waits for every transaction that may have taken an id
 * up to it, and then takes the log's position. A replica that has replayed the log up to there has
 * every pet up to that id, however long a walk through the pages takes.
 *
 * Calls `onWatermark` with `undefined` if ids went back, as after a failover that lost some: then
 * no earlier watermark is valid. While the primary is unavailable the earlier ones stay valid.
 */
export function pollWatermarks(
  pool: Pool,
  onWatermark: (watermark: Watermark | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  let last = -1n
  const writersNow = async () =>
    (await pool.query<{ transaction: string }>(WRITERS)).rows.map(({ transaction }) => transaction)

  return everySecond(async () => {
    const ids = await pool.query<{ id: string | null }>(LAST_ID)
    const petId = BigInt(ids.rows[0]?.id ?? 0)
    if (petId < last) onWatermark(undefined)
    last = petId
    // In a statement of its own: a transaction takes this lock before it takes an id.
    let writers = await writersNow()
    while (writers.length > 0) {
      await setTimeout(LOCK_POLL_MS, undefined, { ref: false, signal })
      const now = new Set(await writersNow())
      writers = writers.filter((writer) => now.has(writer))
    }
    const [log] = (await pool.query<Omit<Watermark, 'petId'>>(POSITION)).rows
    if (log !== undefined) onWatermark({ petId, ...log })
  }, signal)
}

/**
 * Runs work in the background, so that no request waits for a server that does not respond: at
 * once, and then each time a second after it has ended, until the signal is aborted. What it
 * rejects with is ignored.
 */
export async function everySecond(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => undefined)
    await setTimeout(POLL_MS, undefined, { ref: false, signal }).catch(() => undefined)
  }
}
