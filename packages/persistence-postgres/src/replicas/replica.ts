import { isPetError, type PetId } from '@pet-store/domain'
import type { PoolUse } from '@pet-store/persistence'
import { type PetStatements, SqlPetReader } from '@pet-store/persistence-mikro-orm'
import type { Pool } from 'pg'
import { openPostgresDatabase, type PostgresDatabase, reasonOf } from '../database/database.ts'
import { withRetries } from '../database/retries.ts'
import type { PostgresOptions } from '../database/settings.ts'
import { sqlStateOf } from '../database/unavailable.ts'
import { poolUse, runOnPool } from '../driver/pool-statements.ts'
import { createPostgresStatementRunner } from '../driver/statement-runner.ts'
import type { Replica } from './list-from-replicas.ts'
import type { Watermark } from './watermark-poller.ts'

const POLL_MS = 1_000
const UNDEFINED_FUNCTION = '42883'

/** A node with a copy of the database, on connections of its own. */
export class PostgresReplica implements Replica {
  readonly pets: SqlPetReader
  readonly #pool: Pool
  readonly #address: string
  #isSuspended = false
  #completeUpTo: PetId | undefined
  /** The watermark that the replica has not reached yet, and the newest one after it. */
  #next: Watermark | undefined
  #newest: Watermark | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(database: PostgresDatabase, statements: PetStatements, { pooler = 'none' }: PostgresOptions) {
    const runner = createPostgresStatementRunner(pooler, runOnPool(database.pool, 'not_stored'))
    this.pets = new SqlPetReader(statements, runner)
    this.#pool = database.pool
    this.#address = database.address
  }

  /**
   * Opens the node of each of `replicaUrls`, all or none. Rejects with one sentence that names host and database if one
   * is unavailable. A node that does not say which part of the log it has serves no lists, and Node warns of it.
   */
  static async openAll(options: PostgresOptions, statements: PetStatements): Promise<readonly PostgresReplica[]> {
    const replicas: PostgresReplica[] = []
    try {
      for (const url of options.replicaUrls ?? []) {
        const database = await openPostgresDatabase({ ...options, url, isolation: 'read committed' })
        const replica = new PostgresReplica(database, statements, options)
        replicas.push(replica)
        const reason = await replica.#unsupportedReason()
        if (reason === undefined) replica.#schedule()
        else replica.#leaveOut(reason)
      }
    } catch (error) {
      await PostgresReplica.closeAll(replicas)
      throw error
    }
    return replicas
  }

  /** Resolves when every list has its result and the connections are closed. */
  static async closeAll(replicas: readonly PostgresReplica[]): Promise<void> {
    await Promise.all(replicas.map((replica) => replica.#close()))
  }

  get isSuspended(): boolean {
    return this.#isSuspended
  }

  get completeUpTo(): PetId | undefined {
    return this.#completeUpTo
  }

  /** Tells it the newest watermark of the primary; `undefined` makes all earlier ones invalid. */
  setWatermark(watermark: Watermark | undefined): void {
    this.#newest = watermark
    if (watermark === undefined) this.#forget()
    else this.#next ??= watermark
  }

  // Others can serve lists, so a failure concerns the operator and no caller.
  suspend(reason: unknown): void {
    if (this.#isSuspended || this.#isClosed) return
    this.#isSuspended = true
    this.#forget()
    const cause = isPetError(reason) ? reason.cause : reason
    process.emitWarning(`The PostgreSQL replica ${this.#address} is left out for now: ${reasonOf(cause)}.`)
  }

  /** Permanently, unlike `suspend`. */
  #leaveOut(reason: string): void {
    this.#isSuspended = true
    process.emitWarning(
      `The PostgreSQL replica ${this.#address} serves no lists, because ${reason}; they are read on the primary.`,
    )
  }

  /** A streaming replica has a position; a logical one, another primary and the readers of some services have none. */
  async #unsupportedReason(): Promise<string | undefined> {
    try {
      const { rows } = await withRetries(() =>
        this.#pool.query<{ hasPosition: boolean }>(
          'select pg_is_in_recovery() and pg_last_wal_replay_lsn() is not null as "hasPosition"',
        ),
      )
      return rows[0]?.hasPosition ? undefined : 'it is no streaming replica'
    } catch (error) {
      if (sqlStateOf(error) !== UNDEFINED_FUNCTION) throw error
      return 'it has no pg_last_wal_replay_lsn()'
    }
  }

  poolUse(name: string): PoolUse {
    return poolUse(name, this.#pool)
  }

  #forget(): void {
    this.#completeUpTo = undefined
    this.#next = this.#newest
  }

  /** Polled in the background, so that no request waits for a server that does not respond. */
  #schedule(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#poll().finally(() => this.#schedule()), POLL_MS).unref()
  }

  async #poll(): Promise<void> {
    const next = this.#next
    try {
      const { isReplica, hasReplayed } = await this.#state(next)
      if (!isReplica) throw new Error('it is no longer in recovery')
      this.#isSuspended = false
      // Meanwhile it may have failed, or the watermark may have become invalid.
      if (!hasReplayed || next === undefined || next !== this.#next) return
      this.#completeUpTo = next.petId
      this.#next = this.#newest === next ? undefined : this.#newest
    } catch (error) {
      this.suspend(error)
    }
  }

  async #state(watermark?: Watermark): Promise<{ readonly isReplica: boolean; readonly hasReplayed: boolean | null }> {
    const { rows } = await this.#pool.query<{ isReplica: boolean; hasReplayed: boolean | null }>(
      'select pg_is_in_recovery() as "isReplica", pg_last_wal_replay_lsn() >= $1::pg_lsn as "hasReplayed"',
      [watermark?.position ?? null],
    )
    return rows[0] ?? { isReplica: false, hasReplayed: null }
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#pool.end()
  }
}
