import { PersistenceUnavailable } from '@pet-store/persistence'
import type { StatementRunner } from '@pet-store/persistence-mikro-orm'
import type { Pool } from 'pg'
import { openPostgresDatabase, placeOf, reasonOf } from '../database.ts'
import { keepsPrepared, type PostgresOptions } from '../settings.ts'
import type { Replica } from './list-from-replicas.ts'
import { type PoolUse, poolUse } from './pool-use.ts'
import { createPostgresStatementRunner } from './statement-runner.ts'

/** How long a replica that failed is left alone before it is asked whether it works again. */
const REST_MS = 2_000

/** A streaming replica of the database, on connections of its own. */
export class PostgresReplica implements Replica {
  readonly runner: StatementRunner
  readonly #pool: Pool
  readonly #place: string
  #isResting = false
  #nextQuestion: NodeJS.Timeout | undefined

  private constructor(pool: Pool, options: PostgresOptions) {
    this.runner = createPostgresStatementRunner(keepsPrepared(options), (query) => pool.query(query))
    this.#pool = pool
    this.#place = placeOf(options.url)
  }

  /**
   * Opens the replica of each of `replicaUrls`, all or none. Rejects with one sentence that names host and database
   * where one does not answer, or is not a replica.
   */
  static async openAll(options: PostgresOptions): Promise<readonly PostgresReplica[]> {
    const replicas: PostgresReplica[] = []
    try {
      for (const url of options.replicaUrls ?? []) {
        const one = { ...options, url }
        const { pool } = await openPostgresDatabase(one)
        replicas.push(new PostgresReplica(pool, one))
        if (await isReplica(pool)) continue
        throw new Error(`Cannot use the PostgreSQL database ${placeOf(url)} as a replica: it is not in recovery.`)
      }
    } catch (error) {
      await PostgresReplica.closeAll(replicas)
      throw error
    }
    return replicas
  }

  get isResting(): boolean {
    return this.#isResting
  }

  // Others can answer, so a failure is the operator's to know and no caller's.
  rest(reason: unknown): void {
    if (this.#isResting || this.#pool.ending) return
    this.#isResting = true
    process.emitWarning(`The PostgreSQL replica ${this.#place} is left out for now: ${reasonOf(causeOf(reason))}.`)
    this.#askLater()
  }

  /** Asked in the background, so that no request waits for a server that does not answer. */
  #askLater(): void {
    this.#nextQuestion = setTimeout(() => void this.#ask(), REST_MS).unref()
  }

  async #ask(): Promise<void> {
    this.#isResting = !(await isReplica(this.#pool).catch(() => false))
    if (this.#isResting && !this.#pool.ending) this.#askLater()
  }

  poolUse(name: string): PoolUse {
    return poolUse(name, this.#pool)
  }

  /** Waits for what was begun and closes the connections. */
  static async closeAll(replicas: readonly PostgresReplica[]): Promise<void> {
    await Promise.all(replicas.map((replica) => replica.#close()))
  }

  async #close(): Promise<void> {
    clearTimeout(this.#nextQuestion)
    await this.#pool.end()
  }
}

async function isReplica(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ answer: boolean }>('select pg_is_in_recovery() as answer')
  return rows[0]?.answer === true
}

/** The driver's own words, behind those of the port. */
function causeOf(reason: unknown): unknown {
  return reason instanceof PersistenceUnavailable ? reason.cause : reason
}
