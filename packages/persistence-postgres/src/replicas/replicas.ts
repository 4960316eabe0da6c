import type { PetId } from '@pet-store/domain'
import type { PoolUse } from '@pet-store/persistence'
import { type PetStatements, SqlPetReader } from '@pet-store/persistence-mikro-orm'
import type { Pool } from 'pg'
import { assertUsable } from '../database/checks/assert-usable.ts'
import { reasonOf } from '../database/database.ts'
import { assignsInOrder } from '../database/pet-id-sequence.ts'
import type { ConnectionOptions, PostgresOptions } from '../database/settings.ts'
import { type ConnectedDatabase, createPostgresConnections } from '../driver/connections.ts'
import { createPostgresStatementRunner } from '../driver/statement-runner.ts'
import { DATABASE_ID } from './database-id.ts'
import type { Replica } from './list-from-replicas.ts'
import { type LogEnd, readLogEnd } from './log-end.ts'
import { everySecond, pollWatermarks, type Watermark } from './watermarks.ts'

/** The replicas of a database, and the polling of their positions. */
export interface Replicas {
  readonly all: readonly PostgresReplica[]
  /** A sentence for each replica that cannot serve lists, which names it. */
  problems(): Promise<readonly string[]>
  /** Resolves when every list has its result and the connections are closed. */
  close(): Promise<void>
}

/**
 * Begins to use the nodes of `replicaUrls`, without waiting for any of them. A node that cannot be
 * reached, is not a copy of this database, or reports no position in the log serves no lists; a
 * process warning says so.
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
      if (!(await assignsInOrder(primary))) return [UNORDERED]
      const end = await readLogEnd(primary).catch((error: { readonly code?: unknown }) => {
        if (error.code === IN_RECOVERY) return undefined
        throw error
      })
      if (end === undefined) return [ON_STANDBY]
      const followed = { databaseId: end.databaseId, timeline: end.timeline }
      const problems = await Promise.all(all.map((replica) => replica.problem(followed)))
      return problems.filter((problem) => problem !== undefined)
    },
    async close() {
      polling.abort()
      await Promise.all(all.map((replica) => replica.close()))
    },
  }
}

const UNORDERED =
  'No PostgreSQL replica serves lists: ids are not assigned in order, because their sequence, ' +
  'pet_id_seq, has a cache, or an increment as for several primaries.'

/** The code of an error that a standby returns where only a primary has a result. */
const IN_RECOVERY = '55000'
const ON_STANDBY =
  'No PostgreSQL replica serves lists: the database that they are to follow is a standby itself.'

/** What a poll reads from a node. */
interface NodeState {
  readonly databaseId: string
  readonly isReplica: boolean
  readonly hasReplayed: boolean | null
  readonly checkpointTimeline: number
  readonly receivedTimeline: number | null
}

const NODE_STATE = `select ${DATABASE_ID} as "databaseId",
  pg_is_in_recovery() and pg_last_wal_replay_lsn() is not null as "isReplica",
  pg_last_wal_replay_lsn() >= $1::pg_lsn as "hasReplayed",
  (select timeline_id from pg_control_checkpoint()) as "checkpointTimeline",
  (select received_tli from pg_stat_wal_receiver) as "receivedTimeline"`

/** A node with a copy of the database, on connections of its own. */
class PostgresReplica implements Replica {
  readonly pets: SqlPetReader
  /** True at first, until a poll finds that the replica works. */
  isSuspended = true
  completeUpTo: PetId | undefined
  readonly #options: ConnectionOptions
  readonly #database: ConnectedDatabase
  /** Whether a warning has said why it is left out; reset when it works again. */
  #isWarned = false
  /** The next watermark that the replica has to reach, and the newest one of the primary. */
  #next: Watermark | undefined
  #newest: Watermark | undefined

  constructor(options: ConnectionOptions, statements: PetStatements) {
    this.#options = options
    this.#database = createPostgresConnections(options)
    const runner = createPostgresStatementRunner(this.#database, this.#database.read)
    this.pets = new SqlPetReader(statements, runner)
  }

  /** Sets the newest watermark of the primary; `undefined` makes all earlier ones invalid. */
  setWatermark(watermark: Watermark | undefined): void {
    this.#newest = watermark
    if (watermark === undefined) this.#forget()
    else this.#next ??= watermark
  }

  /**
   * Leaves the replica out until a poll finds that it works. Warns the operator; callers do not
   * notice, because the primary and other replicas can serve lists.
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

  /** Finds out whether the replica works, and which watermark it has reached. */
  async poll(): Promise<void> {
    const next = this.#next
    try {
      const hasReplayed = await this.#hasReplayed(next)
      if (this.isSuspended) await assertUsable(this.#database.pool, this.#options)
      this.isSuspended = false
      this.#isWarned = false
      // The replica may have failed meanwhile, or the watermark may have become invalid.
      if (!hasReplayed || next === undefined || next !== this.#next) return
      this.completeUpTo = next.petId
      this.#next = this.#newest === next ? undefined : this.#newest
    } catch (error) {
      this.suspend(error)
    }
  }

  /**
   * Returns a sentence that says why it cannot serve lists of a primary; `undefined` if it can.
   */
  async problem(primary: Omit<LogEnd, 'position'>): Promise<string | undefined> {
    try {
      await this.#hasReplayed(primary)
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
   * Whether the replica has replayed the log up to its end on the primary, or to a watermark.
   * Rejects if it is not a streaming replica of the same database. Others, such as a logical
   * replica, another primary, or the reader nodes of some services, have no position in the log.
   *
   * Rejects also if the replica is not known to have followed the primary to its timeline: it may
   * have pets that the primary has lost. It knows its timeline since its last checkpoint; who may
   * read the state of its WAL receiver knows it at once.
   */
  async #hasReplayed(end: Partial<LogEnd> = {}): Promise<boolean> {
    const { rows } = await this.#database.pool.query<NodeState>(NODE_STATE, [end.position ?? null])
    const [state] = rows
    if (!state?.isReplica) throw new Error('it is not a streaming replica')
    if (end.databaseId !== undefined && state.databaseId !== end.databaseId)
      throw new Error('it is not a copy of the database of the primary')
    const timeline = Math.max(state.checkpointTimeline, state.receivedTimeline ?? 0)
    if (end.timeline === undefined || timeline === end.timeline) return state.hasReplayed === true
    if (timeline < end.timeline)
      throw new Error(
        `its last known timeline of the log is ${timeline}, ` +
          `that of the primary ${end.timeline}`,
      )
    // The primary has just changed, and the watermark is one of the primary before.
    return false
  }

  #forget(): void {
    this.completeUpTo = undefined
    this.#next = this.#newest
  }
}
