import { raw } from '@mikro-orm/core'
import { IDEMPOTENCY_KEY_LIFETIME_MS, INT64 } from '@pet-store/domain'
import { IdempotencyKeyEntity } from '../entities/idempotency-key-entity.ts'
import type { EntityManagers } from '../orm/entity-managers.ts'
import type { SqlDialect } from '../statements/sql-dialect.ts'

/** The shortest time between the beginnings of two deletions. */
const PAUSE_MS = 10_000
/** So few that other writes do not wait long. */
const KEYS_PER_STATEMENT = 500
/**
 * How often the search starts from the oldest key again: keys may have been stored late with an
 * early time, such as those of a copy.
 */
const START_OVER_MS = 60 * 60_000

/**
 * Deletes expired idempotency keys in the background, while new keys are added. Each search begins
 * at the time at which the previous one ended. Earlier entries of the index are those of deleted
 * keys. A database keeps them while a transaction may still see them, and a search that begins
 * earlier has to pass over all of them.
 */
export class ExpiredIdempotencyKeys {
  readonly #nowMs: string
  readonly #entities: Pick<EntityManagers, 'read' | 'write'>
  readonly #onFailure: (error: unknown) => void
  #from = INT64.min
  #beganAt = Number.NEGATIVE_INFINITY
  #startedOverAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined
  #isFinished = false

  constructor(
    { nowMs }: Pick<SqlDialect, 'nowMs'>,
    entities: Pick<EntityManagers, 'read' | 'write'>,
    onFailure: (error: unknown) => void = () => {},
  ) {
    this.#nowMs = nowMs
    this.#entities = entities
    this.#onFailure = onFailure
  }

  /**
   * Begins to delete the expired keys whose first use was at `until` (in milliseconds since 1970)
   * or earlier. Does nothing if a deletion is running or began less than 10 seconds ago. Never
   * throws.
   */
  deleteInBackground(until: bigint): void {
    const now = performance.now()
    if (this.#isFinished || this.#running !== undefined || now < this.#beganAt + PAUSE_MS) return
    this.#beganAt = now
    if (now >= this.#startedOverAt + START_OVER_MS) {
      this.#startedOverAt = now
      this.#from = INT64.min
    }
    this.#running = this.#deleteAll(until)
      .catch(this.#onFailure)
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Resolves when the current statement has ended; no other follows. */
  async finish(): Promise<void> {
    this.#isFinished = true
    await this.#running
  }

  async #deleteAll(until: bigint): Promise<void> {
    let last: bigint | undefined
    do {
      last = await this.#findLast(until)
      await this.#delete(last ?? until)
      this.#from = last ?? this.#from
    } while (last !== undefined && !this.#isFinished)
  }

  /**
   * The time of the last key that one statement may delete; `undefined` if fewer keys are left than
   * that.
   */
  #findLast(until: bigint): Promise<bigint | undefined> {
    return this.#entities.read('idempotency_key_find_expired', async (em) => {
      const [key] = await em.find(IdempotencyKeyEntity, this.#expiredUpTo(until), {
        fields: ['at'],
        orderBy: { at: 'asc' },
        limit: 1,
        offset: KEYS_PER_STATEMENT - 1,
      })
      return key?.at
    })
  }

  #delete(until: bigint): Promise<unknown> {
    return this.#entities.write('idempotency_key_delete_expired', (em) =>
      em.nativeDelete(IdempotencyKeyEntity, this.#expiredUpTo(until)),
    )
  }

  /**
   * Compares with the clock of the database too, so that an instance whose own clock is fast
   * deletes no valid key.
   */
  #expiredUpTo(until: bigint) {
    const expired = raw<bigint>(`${this.#nowMs} - ${IDEMPOTENCY_KEY_LIFETIME_MS}`)
    return { $and: [{ at: { $gte: this.#from, $lte: until } }, { at: { $lte: expired } }] }
  }
}
