import type { PetId } from '@pet-store/domain'
import type { PoolUse } from '@pet-store/persistence'
import { type PetStatements, SqlPetReader } from '@pet-store/persistence-mikro-orm'
import type { Pool } from 'pg'
import { assertUsable, reasonOf } from '../database/database.ts'
import type { ConnectionOptions, PostgresOptions } from '../database/settings.ts'
import { type ConnectedDatabase, createPostgresConnections } from '../driver/connections.ts'
import { createPostgresStatementRunner } from '../driver/statement-runner.ts'
import { DATABASE_ID, readDatabaseId } from './database-id.ts'
import type { Replica } from './list-from-replicas.ts'
import { everySecond, pollWatermarks, type Watermark } from './watermarks.ts'

/** The replicas of a database, and what asks them and the primary how far they have come. */
export interface Replicas {
  readonly all: readonly PostgresReplica[]
  /** A sentence for each replica that cannot serve lists, which names it. */
  problems(): Promise<readonly string[]>
  /** Resolves when every list has its result and the connections are closed. */
  close(): Promise<void>
}

/**
 * Begins to use the node of each of `replicaUrls`, without waiting for any: one that cannot be
 * reached, is not a copy of this database, or does not say which part of the log it has serves no
 * lists, and Node warns of it.
 */
export function openReplicas(
  primary: Pool,
  options: PostgresOptions,
  statements: PetStatements,
): Replicas {
  const polling = new AbortController()
  const all = (options.replicaUrls ?? []).map(
    (url) => new PostgresReplica({ ...options, url, isolation: 'read committed' }, statements),
  )
  for (const replica of all) void everySecond(() => replica.poll(), polling.signal)
  const onWatermark = (watermark: Watermark | undefined) => {
    for (const replica of all) replica.setWatermark(watermark)
  }
  if (all.length > 0) void pollWatermarks(primary, onWatermark, polling.signal)
  return {
    all,
    async problems() {
      if (all.length === 0) return []
      const databaseId = await readDatabaseId(primary)
      const problems = await Promise.all(all.map((replica) => replica.problem(databaseId)))
      return problems.filter((problem) => problem !== undefined)
    },
    async close() {
      polling.abort()
      await Promise.all(all.map((replica) => replica.close()))
    },
  }
}

interface Position {
  readonly databaseId: string
  readonly isReplica: boolean
  readonly hasReplayed: boolean | null
}

/** A node with a copy of the database, on connections of its own. */
class PostgresReplica implements Replica {
  readonly pets: SqlPetReader
  /** From the beginning, until a poll finds that it works. */
  isSuspended = true
  completeUpTo: PetId | undefined
  readonly #options: ConnectionOptions
  readonly #database: ConnectedDatabase
  /** A warning says once why it is left out. */
  #isWarned = false
  /** The watermark that the replica has not reached yet, and the newest one after it. */
  #next: Watermark | undefined
  #newest: Watermark | undefined

  constructor(options: ConnectionOptions, statements: PetStatements) {
    this.#options = options
    this.#database = createPostgresConnections(options)
    const runner = createPostgresStatementRunner(this.#database, this.#database.read)
    this.pets = new SqlPetReader(statements, runner)
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
    if (this.#database.pool.ending) return
    this.isSuspended = true
    this.#forget()
    if (this.#isWarned) return
    this.#isWarned = true
    const { address } = this.#database
    process.emitWarning(
      `The PostgreSQL replica ${address} is left out for now: ${reasonOf(reason)}.`,
    )
  }

  /** Asks whether it works, and how far it has come. */
  async poll(): Promise<void> {
    const next = this.#next
    try {
      const hasReplayed = await this.#hasReplayed(next)
      if (this.isSuspended) await assertUsable(this.#database.pool, this.#options)
      this.isSuspended = false
      this.#isWarned = false
      // Meanwhile it may have failed, or the watermark may have become invalid.
      if (!hasReplayed || next === undefined || next !== this.#next) return
      this.completeUpTo = next.petId
      this.#next = this.#newest === next ? undefined : this.#newest
    } catch (error) {
      this.suspend(error)
    }
  }

  /** Why it cannot serve lists of a database; `undefined` if it can. */
  async problem(databaseId: string): Promise<string | undefined> {
    try {
      await this.#hasReplayed({ databaseId })
      await assertUsable(this.#database.pool, this.#options)
      return undefined
    } catch (error) {
      return `The PostgreSQL replica ${this.#database.address} serves no lists: ${reasonOf(error)}.`
    }
  }

  use(name: string): PoolUse {
    return this.#database.use(name)
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  /**
   * Whether it has replayed the log up to a watermark. Rejects if it is not a replica of its
   * database. Only a streaming replica has a position in the log: a logical one, another primary
   * and the readers of some services have none.
   */
  async #hasReplayed(
    upTo: Partial<Pick<Watermark, 'databaseId' | 'position'>> = {},
  ): Promise<boolean> {
    const { rows } = await this.#database.pool.query<Position>(
      `select ${DATABASE_ID} as "databaseId",
        pg_is_in_recovery() and pg_last_wal_replay_lsn() is not null as "isReplica",
        pg_last_wal_replay_lsn() >= $1::pg_lsn as "hasReplayed"`,
      [upTo.position ?? null],
    )
    const [position] = rows
    if (!position?.isReplica) throw new Error('it is no streaming replica')
    if (upTo.databaseId !== undefined && position.databaseId !== upTo.databaseId)
      throw new Error('it is no copy of the database of the primary')
    return position.hasReplayed === true
  }

  #forget(): void {
    this.completeUpTo = undefined
    this.#next = this.#newest
  }
}
