import { setTimeout } from 'node:timers/promises'
import type { PetId } from '@pet-store/domain'
import type { Pool } from 'pg'
import { assignsInOrder, lastPetIdOf } from '../database/pet-id-sequence.ts'
import { type LogEnd, readLogEnd } from './log-end.ts'

const POLL_MS = 1_000
const LOCK_POLL_MS = 100

/**
 * At `position` of the primary's log, every pet up to `petId` that will ever exist is committed.
 */
export interface Watermark extends LogEnd {
  readonly petId: PetId
}

/** The transactions that may have added pets: they hold this lock until they end. */
const WRITERS = `select virtualtransaction as transaction from pg_locks
  where locktype = 'relation' and mode = 'RowExclusiveLock' and relation = 'pet'::regclass
  and database = (select oid from pg_database where datname = current_database())`

/**
 * Calls `onWatermark` with a new watermark about every second, until the signal is aborted.
 *
 * Ids are committed in another order than they are assigned, so the last id alone is not enough. A
 * poll reads the last id, waits for every transaction that may have taken an id up to it, and then
 * reads the position of the log. A replica that has replayed the log up to that position has every
 * pet up to that id, however long a client takes to follow the pages of a list.
 *
 * `onWatermark` is called with `undefined` when no earlier watermark is valid any more. That is so
 * if the log has another timeline than before, because a failover may have lost pets, if the last
 * id is lower than before, and if ids are not assigned in order (`assignsInOrder`). While the
 * primary is unavailable the earlier ones stay valid.
 */
export function pollWatermarks(
  pool: Pool,
  onWatermark: (watermark: Watermark | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  let last: Pick<Watermark, 'petId' | 'timeline'> | undefined
  const writersNow = async () =>
    (await pool.query<{ transaction: string }>(WRITERS)).rows.map(({ transaction }) => transaction)

  return everySecond(async () => {
    const { timeline } = await readLogEnd(pool)
    const petId = await lastPetIdOf(pool)
    // Must come after the statement that reads the id, because the sequence may just be changed.
    const isOrdered = await assignsInOrder(pool)
    if (timeline !== last?.timeline || petId < last.petId || !isOrdered) onWatermark(undefined)
    last = { petId, timeline }
    if (!isOrdered) return
    // Must be a separate statement after the one that reads the id: a transaction takes this lock
    // before it takes an id.
    let writers = await writersNow()
    while (writers.length > 0) {
      await setTimeout(LOCK_POLL_MS, undefined, { ref: false, signal })
      const now = new Set(await writersNow())
      writers = writers.filter((writer) => now.has(writer))
    }
    const end = await readLogEnd(pool)
    // Otherwise another server is the primary now, which may lack the last ids.
    if (end.timeline === timeline) onWatermark({ petId, ...end })
  }, signal)
}

/**
 * Runs work at once, and again a second after it has ended each time, until the signal is aborted.
 * Errors are ignored. It is for work in the background, so that no request waits for a server that
 * does not respond.
 */
export async function everySecond(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => undefined)
    await setTimeout(POLL_MS, undefined, { ref: false, signal }).catch(() => undefined)
  }
}
