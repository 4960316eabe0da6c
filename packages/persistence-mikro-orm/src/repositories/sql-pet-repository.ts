import {
  type Cancellation,
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
  persistenceUnavailable,
} from '@pet-store/domain'
import { columnsFromPet, petFromColumns } from '../entities/pet-mapping.ts'
import type { KeyColumns, PetStatements } from '../statements/pet-statements.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'

/** How many old keys an add with a key deletes: more than one, so that they do not pile up, and few, so that none waits. */
const DELETED_AT_ONCE = 10

/** How often a key is claimed when others delete and claim it at the same time. */
const MAX_ATTEMPTS = 10

/** Pets in an SQL database, read and written by prepared statements. */
export class SqlPetRepository implements PetRepository {
  readonly #add
  readonly #addWithKey
  readonly #findKey
  readonly #deleteKey
  readonly #deleteOldKeys
  readonly #find
  readonly #list
  readonly #listAfter
  readonly #listWithStatus
  readonly #listWithStatusAfter

  constructor(statements: PetStatements, runner: StatementRunner) {
    this.#add = runner.write(statements.add)
    this.#addWithKey = runner.tryWrite(statements.addWithKey)
    this.#findKey = runner.readOne(statements.findKey, (columns) => columns)
    this.#deleteKey = runner.tryWrite(statements.deleteKey)
    this.#deleteOldKeys = runner.tryWrite(statements.deleteOldKeys)
    this.#find = runner.readOne(statements.find, petFromColumns)
    this.#list = runner.readAll(statements.list, petFromColumns)
    this.#listAfter = runner.readAll(statements.listAfter, petFromColumns)
    this.#listWithStatus = runner.readAll(statements.listWithStatus, petFromColumns)
    this.#listWithStatusAfter = runner.readAll(statements.listWithStatusAfter, petFromColumns)
  }

  async add(pet: NewPet, cancellation?: Cancellation): Promise<Pet> {
    const columns = columnsFromPet(pet)
    const [id] = await this.#add(columns, cancellation)
    return petFromColumns([id, ...columns])
  }

  /** The primary key of the table of keys decides which of several concurrent calls is first; the others find its pet. */
  async addWithKey(pet: NewPet, idempotencyKey: IdempotencyKey, cancellation?: Cancellation): Promise<CreatedPet> {
    const columns = columnsFromPet(pet)
    const { owner, key, fingerprint } = idempotencyKey
    const at = BigInt(idempotencyKey.at.getTime())
    const expired = at - BigInt(IDEMPOTENCY_KEY_LIFETIME_MS)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const added = await this.#addWithKey([fingerprint, at, owner, key, ...columns], cancellation)
      if (added !== undefined) {
        // The pet is stored: a key that cannot be deleted now is deleted by a later add.
        await this.#deleteOldKeys([expired, DELETED_AT_ONCE]).catch(() => undefined)
        return { pet: petFromColumns([added[0], ...columns]), isReplay: false }
      }
      const known = await this.#findKey([owner, key])
      if (known === undefined) continue
      const [knownFingerprint, knownAt, petId, ...found] = known
      if (knownAt <= expired || isDeleted(found)) await this.#deleteKey([owner, key, petId])
      else if (knownFingerprint === fingerprint) return { pet: petFromColumns(found), isReplay: true }
      else throw new PetError('idempotency_key_reused', 'This idempotency key was used to create another pet.')
    }
    throw persistenceUnavailable({ message: 'Too many requests with the same idempotency key at the same time.' })
  }

  // The reading methods return the runner's promise itself: one promise per call is all that the hot path pays for.
  find(id: PetId): Promise<Pet | undefined> {
    // A database rejects a number that its ids cannot have; no pet has it.
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

/** Whether the pet of a key was deleted by hand. */
function isDeleted(columns: readonly (KeyColumns[number] | null)[]): boolean {
  return columns[0] === null
}
