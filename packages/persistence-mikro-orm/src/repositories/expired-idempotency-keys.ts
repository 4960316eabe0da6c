import { INT64 } from '@pet-store/domain'
import type { PetStatements } from '../statements/pet-statements.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'

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
  readonly #find
  readonly #delete
  readonly #onFailure: (error: unknown) => void
  #from = INT64.min
  #beganAt = Number.NEGATIVE_INFINITY
  #startedOverAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined
  #isFinished = false

  constructor(
    statements: PetStatements,
    runner: StatementRunner,
    onFailure: (error: unknown) => void = () => {},
  ) {
    this.#find = runner.readOne(statements.findExpiredKeys, ([at]) => at)
    this.#delete = runner.writeOptional(statements.deleteExpiredKeys)
    this.#onFailure = onFailure
  }

  /**
   * Begins to delete those whose last use was before a time, unless it has begun a short time ago.
   * Never throws.
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
      last = await this.#find([this.#from, until, KEYS_PER_STATEMENT - 1])
      await this.#delete([this.#from, last ?? until])
      this.#from = last ?? this.#from
    } while (last !== undefined && !this.#isFinished)
  }
}
