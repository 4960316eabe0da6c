import { DriverException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { type PetError, persistenceUnavailable } from '@pet-store/domain'
import type { DatabaseServer, OnStatement } from '@pet-store/persistence'
import { RunningCalls } from '../statements/running-calls.ts'
import { tooManyWait, WAITING_LIMITS } from '../statements/waiting-statement.ts'

/** Work on entities. It must not begin a transaction, so only its last statement may write. */
export type EntityWork<Result> = (em: SqlEntityManager) => Promise<Result>

/**
 * Runs work, and repeats it for a limited time while it conflicts with other transactions. Rejects
 * with `persistence_unavailable` if the database is unavailable.
 */
type RunWork = <Result>(work: () => Promise<Result>) => Promise<Result>

/** How the work of an adapter is run, and where its statements are reported. */
export interface EntityManagersOptions {
  /** Runs work that changes nothing. */
  readonly read: RunWork
  /** Runs work that ends with a write. Errors have the outcome of that write. */
  readonly write: RunWork
  readonly onStatement?: OnStatement | undefined
  readonly server?: DatabaseServer
}

/**
 * Runs work that is not on the hot path through MikroORM, each piece on an entity manager of its
 * own. Rejects with `persistence_unavailable` if `WAITING_LIMITS.maxStatements` pieces are running
 * or waiting. `onStatement` is called with the `name` of the work.
 */
export class EntityManagers {
  readonly #em: SqlEntityManager
  readonly #options: EntityManagersOptions
  readonly #running = new RunningCalls()

  constructor(em: SqlEntityManager, options: EntityManagersOptions) {
    this.#em = em
    this.#options = options
  }

  read<Result>(name: string, work: EntityWork<Result>): Promise<Result> {
    return this.#run(this.#options.read, name, work)
  }

  write<Result>(name: string, work: EntityWork<Result>): Promise<Result> {
    return this.#run(this.#options.write, name, work)
  }

  /** Resolves when all work that was begun has ended. */
  finish(): Promise<void> {
    return this.#running.finish()
  }

  async #run<Result>(run: RunWork, name: string, work: EntityWork<Result>): Promise<Result> {
    const { onStatement, server } = this.#options
    if (this.#running.count >= WAITING_LIMITS.maxStatements) throw tooManyWait()
    const end = server && onStatement?.({ name }, server)
    try {
      const result = await this.#running.track(run(() => this.#onFork(work)))
      end?.()
      return result
    } catch (error) {
      end?.(error)
      throw error
    }
  }

  async #onFork<Result>(work: EntityWork<Result>): Promise<Result> {
    try {
      return await work(this.#em.fork())
    } catch (error) {
      throw unwrap(error)
    }
  }
}

const UNAVAILABLE: PetError['code'] = 'persistence_unavailable'

/**
 * Restores a `persistence_unavailable` that was thrown below MikroORM, which wraps every error and
 * copies its fields.
 */
function unwrap(error: unknown): unknown {
  if (!(error instanceof DriverException) || error.code !== UNAVAILABLE) return error
  const { message, cause, outcome } = error as unknown as PetError
  return persistenceUnavailable({ message, cause, ...(outcome && { outcome }) })
}
