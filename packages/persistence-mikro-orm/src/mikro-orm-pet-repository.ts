import {
  type CreatedPet,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  INT64,
  type NewPet,
  type Pet,
  PetError,
  type PetId,
  type PetQuery,
  type PetRepository,
} from '@pet-store/domain'
import { type NewPetColumns, petFromColumns } from './pet-mapping.ts'
import type { PetStatements } from './pet-statements.ts'
import type { StatementRunner } from './statement-runner.ts'

/** How many old keys an add under a key frees: more than one, so that they never pile up, and few, so that none waits. */
const FREED_AT_ONCE = 10

/** Pets in a database that MikroORM knows, read and written by statements that it compiled. */
export class MikroOrmPetRepository implements PetRepository {
  readonly #add
  readonly #addOnce
  readonly #findOnce
  readonly #freeOnce
  readonly #freeOldOnce
  readonly #find
  readonly #list
  readonly #listAfter
  readonly #listWithStatus
  readonly #listWithStatusAfter

  constructor(statements: PetStatements, runner: StatementRunner) {
    this.#add = runner.write(statements.add)
    this.#addOnce = runner.tryWrite(statements.addOnce)
    this.#findOnce = runner.readOne(statements.findOnce, (row) => row)
    this.#freeOnce = runner.tryWrite(statements.freeOnce)
    this.#freeOldOnce = runner.tryWrite(statements.freeOldOnce)
    this.#find = runner.readOne(statements.find, petFromColumns)
    this.#list = runner.readAll(statements.list, petFromColumns)
    this.#listAfter = runner.readAll(statements.listAfter, petFromColumns)
    this.#listWithStatus = runner.readAll(statements.listWithStatus, petFromColumns)
    this.#listWithStatusAfter = runner.readAll(statements.listWithStatusAfter, petFromColumns)
  }

  async add(pet: NewPet): Promise<Pet> {
    const columns = columnsOf(pet)
    const [id] = await this.#add(columns)
    return petFromColumns([id, ...columns])
  }

  /** The unique index decides which of several concurrent calls is first; every other one finds the pet of the first. */
  async addWithKey(pet: NewPet, idempotencyKey: IdempotencyKey): Promise<CreatedPet> {
    const columns = columnsOf(pet)
    const { owner, key, fingerprint, at: askedAt } = idempotencyKey
    const at = BigInt(askedAt.getTime())
    const old = at - BigInt(IDEMPOTENCY_KEY_LIFETIME_MS)
    for (;;) {
      const added = await this.#addOnce([...columns, owner, key, fingerprint, at])
      if (added !== undefined) {
        // The pet is stored: a key that cannot be freed now is freed by a later add.
        await this.#freeOldOnce([old, FREED_AT_ONCE]).catch(() => undefined)
        return { pet: petFromColumns([added[0], ...columns]), isReplay: false }
      }
      const known = await this.#findOnce([owner, key])
      if (known === undefined) continue
      const [, , , , knownFingerprint, knownAt] = known
      if (knownAt <= old) await this.#freeOnce([owner, key, old])
      else if (knownFingerprint === fingerprint) return { pet: petFromColumns(known), isReplay: true }
      else throw new PetError('idempotency_key_reused', 'This idempotency key was used to create another pet.')
    }
  }

  // The reading methods pass the runner's promise on: one promise per call is all that the hot path pays for.
  find(id: PetId): Promise<Pet | undefined> {
    // No database can be asked for a number that its ids cannot hold, and the answer is known.
    if (id < INT64.min || id > INT64.max) return Promise.resolve(undefined)
    return this.#find([id])
  }

  list({ status, after, limit }: PetQuery): Promise<readonly Pet[]> {
    if (after === undefined || after < INT64.min) {
      return status === undefined ? this.#list([limit]) : this.#listWithStatus([status, limit])
    }
    if (after > INT64.max) return Promise.resolve([])
    return status === undefined ? this.#listAfter([after, limit]) : this.#listWithStatusAfter([status, after, limit])
  }
}

function columnsOf({ name, categoryId, status }: NewPet): NewPetColumns {
  return [name, categoryId, status ?? null]
}
