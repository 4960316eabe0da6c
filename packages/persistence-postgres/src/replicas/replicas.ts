import { isPetError, type PetId } from '@pet-store/domain'
import { type PetStatements, SqlPetReader } from '@pet-store/persistence-mikro-orm'
import type { Pool } from 'pg'
import { openPostgresDatabase, type PostgresDatabase, reasonOf } from '../database/database.ts'
import type { PostgresOptions } from '../database/settings.ts'
import { runOnPool } from '../driver/pool-statements.ts'
import { createPostgresStatementRunner } from '../driver/statement-runner.ts'
import type { Replica } from './list-from-replicas.ts'
import { everySecond, pollWatermarks, type Watermark } from './watermarks.ts'

/**
 * Opens the node of each of `replicaUrls`, all or none. Rejects with one sentence that names host
 * and database if one is unavailable. A node that does not say which part of the log it has serves
 * no lists, and Node warns of it.
 */
export async function openReplicas(
  primary: Pool,
  options: PostgresOptions,
  statements: PetStatements,
): Promise<{ readonly all: readonly PostgresReplica[]; readonly close: () => Promise<void> }> {
  const all: PostgresReplica[] = []
  const polling = new AbortController()
  /** Resolves when every list has its result and the connections are closed. */
  const close = async () => {
    polling.abort()
    await Promise.all(all.map(({ pool }) => pool.end()))
  }
  try {
    for (const url of options.replicaUrls ?? []) {
      const database = await openPostgresDatabase({ ...options, url, isolation: 'read committed' })
      const replica = new PostgresReplica(database, statements)
      all.push(replica)
      void everySecond(() => replica.poll(), polling.signal)
    }
  } catch (error) {
    await close()
    throw error
  }
  const onWatermark = (watermark: Watermark | undefined) => {
    for (const replica of all) replica.setWatermark(watermark)
  }
  if (all.length > 0) void pollWatermarks(primary, onWatermark, polling.signal)
  return { all, close }
}

/** A node with a copy of the database, on connections of its own. */
class PostgresReplica implements Replica {
  readonly pets: SqlPetReader
  readonly pool: Pool
  isSuspended = false
  completeUpTo: PetId | undefined
  readonly #address: string
  /** The watermark that the replica has not reached yet, and the newest one after it. */
  #next: Watermark | undefined
  #newest: Watermark | undefined

  constructor(database: PostgresDatabase, statements: PetStatements) {
    const { pool, address } = database
    const runner = createPostgresStatementRunner(database, runOnPool(pool, 'not_stored'))
    this.pets = new SqlPetReader(statements, runner)
    this.pool = pool
    this.#address = address
  }

  /** Tells it the newest watermark of the primary; `undefined` makes all earlier ones invalid. */
  setWatermark(watermark: Watermark | undefined): void {
    this.#newest = watermark
    if (watermark === undefined) this.#forget()
    else this.#next ??= watermark
  }

  /**
   * Until a poll finds that it works. Others can serve lists, so a failure concerns the operator
   * and no caller.
   */
  suspend(reason: unknown): void {
    if (this.isSuspended || this.pool.ending) return
    this.isSuspended = true
    this.#forget()
    const why = reasonOf(isPetError(reason) ? reason.cause : reason)
    process.emitWarning(`The PostgreSQL replica ${this.#address} is left out for now: ${why}.`)
  }

  /**
   * Asks whether it works, and how far it has come. Only a streaming replica has a position in the
   * log: a logical one, another primary and the readers of some services have none.
   */
  async poll(): Promise<void> {
    const next = this.#next
    try {
      const { rows } = await this.pool.query<{ isReplica: boolean; hasReplayed: boolean | null }>(
        `select pg_is_in_recovery() and pg_last_wal_replay_lsn() is not null as "isReplica",
          pg_last_wal_replay_lsn() >= $1::pg_lsn as "hasReplayed"`,
        [next?.position ?? null],
      )
      if (!rows[0]?.isReplica) throw new Error('it is no streaming replica')
      this.isSuspended = false
      // Meanwhile it may have failed, or the watermark may have become invalid.
      if (!rows[0].hasReplayed || next === undefined || next !== this.#next) return
      this.completeUpTo = next.petId
      this.#next = this.#newest === next ? undefined : this.#newest
    } catch (error) {
      this.suspend(error)
    }
  }

  #forget(): void {
    this.completeUpTo = undefined
    this.#next = this.#newest
  }
}
