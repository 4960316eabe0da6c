import type { PetId } from '@pet-store/domain'
import type { Pool } from 'pg'

const POLL_MS = 1_000
const LOCK_POLL_MS = 100

/** A position of the primary's log at which every pet up to an id that will ever exist has been committed. */
export interface Watermark {
  readonly petId: PetId
  readonly position: string
}

/** A replica. */
export interface WatermarkReceiver {
  setWatermark(watermark: Watermark | undefined): void
}

/**
 * Finds out which pets no transaction can still add, because ids are committed in another order than they are assigned:
 * takes the last id, waits for every transaction that may have taken an id up to it, and then takes the log's position. A
 * replica that has replayed the log up to there has every pet up to that id, however long a walk through the pages takes.
 */
export class WatermarkPoller {
  readonly #pool: Pool
  readonly #replicas: readonly WatermarkReceiver[]
  #timer: NodeJS.Timeout | undefined
  #last = -1n
  #isClosed = false

  /** The replicas are told `undefined` if ids went back, as after a failover that lost some: then no earlier watermark is valid. */
  constructor(pool: Pool, replicas: readonly WatermarkReceiver[]) {
    this.#pool = pool
    this.#replicas = replicas
    this.#schedule()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #tell(watermark: Watermark | undefined): void {
    for (const replica of this.#replicas) replica.setWatermark(watermark)
  }

  #schedule(): void {
    if (this.#isClosed) return
    // While the primary is unavailable the earlier watermarks stay valid.
    const poll = () => this.#poll().catch(() => undefined)
    this.#timer = setTimeout(() => void poll().finally(() => this.#schedule()), POLL_MS).unref()
  }

  async #poll(): Promise<void> {
    const [ids] = await this.#rows<{ id: string | null }>(
      "select pg_sequence_last_value(pg_get_serial_sequence('pet', 'id')::regclass) as id",
    )
    const petId = BigInt(ids?.id ?? 0)
    if (petId < this.#last) this.#tell(undefined)
    this.#last = petId
    // In a statement of its own: whoever takes an id holds this lock before.
    let writers = await this.#writers()
    while (writers.length > 0 && !this.#isClosed) {
      await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS).unref())
      const now = new Set(await this.#writers())
      writers = writers.filter((writer) => now.has(writer))
    }
    const [log] = await this.#rows<{ position: string }>('select pg_current_wal_insert_lsn()::text as position')
    if (log !== undefined && !this.#isClosed) this.#tell({ petId, position: log.position })
  }

  /** The transactions that add pets, or may have: the lock stays until their end. */
  async #writers(): Promise<readonly string[]> {
    const rows = await this.#rows<{ transaction: string }>(
      `select virtualtransaction as transaction from pg_locks where locktype = 'relation' and mode = 'RowExclusiveLock'
        and relation = 'pet'::regclass and database = (select oid from pg_database where datname = current_database())`,
    )
    return rows.map(({ transaction }) => transaction)
  }

  async #rows<Row extends object>(sql: string): Promise<readonly Row[]> {
    return (await this.#pool.query<Row>(sql)).rows
  }
}
