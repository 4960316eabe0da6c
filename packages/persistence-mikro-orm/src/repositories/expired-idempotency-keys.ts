import { raw } from '@mikro-orm/core'
import { IDEMPOTENCY_KEY_LIFETIME_MS, INT64 } from '@pet-store/domain'
import { IdempotencyKeyRecord } from '../entities/idempotency-key-record.ts'
import type { EntityManagers } from '../orm/entity-managers.ts'
import type { SqlDialect } from '../statements/sql-dialect.ts'

const PAUSE_MS = 10_000
/** Few, so that no other write waits long. */
const KEYS_PER_STATEMENT = 500
/**
 * How often keys are looked for from the beginning: some may have been stored late, such as those
 * of a copy.
 */
const START_OVER_MS = 60 * 60_000

/**
 * Deletes expired idempotency keys while others are added, without anybody waiting for it. Each
 * time it begins where it has ended: before that lie only entries of deleted keys, which a database
 * keeps as long as some transaction may see them, and over which every search would go.
 */
export class ExpiredKeys {
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
   * Begins to delete those whose first use was before a time, and that have expired, unless it
   * has begun a short time ago. Never throws.
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

  /** Resolves when the present statement has ended; none follows. */
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

  /** The time of the last of the next keys; `undefined` if there are fewer. */
  #findLast(until: bigint): Promise<bigint | undefined> {
    return this.#entities.read('idempotency_key_find_expired', async (em) => {
      const [key] = await em.find(IdempotencyKeyRecord, this.#expiredUpTo(until), {
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
      em.nativeDelete(IdempotencyKeyRecord, this.#expiredUpTo(until)),
    )
  }

  /**
   * The clock of the database decides too, so that an instance whose clock is fast deletes no live
   * key.
   */
  #expiredUpTo(until: bigint) {
    const expired = raw<bigint>(`${this.#nowMs} - ${IDEMPOTENCY_KEY_LIFETIME_MS}`)
    return { $and: [{ at: { $gte: this.#from, $lte: until } }, { at: { $lte: expired } }] }
  }
}
