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
  type PetInput,
  type PetQuery,
  type PetRepository,
  persistenceUnavailable,
} from '@pet-store/domain'
import type { NewPetColumns, PetColumns } from '../entities/records.ts'
import { tracked } from '../statements/grouped-statements.ts'
import type { PetStatements } from '../statements/pet-statements.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'
import { ExpiredKeys } from './expired-idempotency-keys.ts'

/**
 * Adds pets. Each adapter brings its own, because databases differ in what one statement and one
 * transaction can do.
 */
export interface PetWriter {
  /**
   * Resolves to the new id after the commit, and rejects as `writeOptional` of a `StatementRunner`
   * does.
   */
  add(pet: NewPetColumns, cancellation?: Cancellation): Promise<PetId>
  /**
   * Adds a pet and its idempotency key, both or neither. Resolves to `undefined` if the key of this
   * owner is taken.
   */
  addWithKey(
    key: NewKeyColumns,
    pet: NewPetColumns,
    cancellation?: Cancellation,
  ): Promise<PetId | undefined>
  /**
   * Whether no pet has this id once everything that may be adding it has ended. Absent in a
   * database where a pet is visible as soon as its key is, which the same transaction has added.
   */
  isDeleted?(id: PetId): Promise<boolean>
}

/** A new idempotency key, without the id of its pet. */
export type NewKeyColumns = readonly [owner: string, key: string, fingerprint: string, at: bigint]

/** How often a key is claimed when others delete and claim it at the same time. */
const MAX_ATTEMPTS = 10

/** Reads pets by prepared statements. */
export class SqlPetReader implements Pick<PetRepository, 'find' | 'list'> {
  readonly #find
  readonly #list
  readonly #listAfter
  readonly #listWithStatus
  readonly #listWithStatusAfter

  constructor(statements: PetStatements, runner: Pick<StatementRunner, 'readOne' | 'readAll'>) {
    this.#find = runner.readOne(statements.find, petFromColumns)
    this.#list = runner.readAll(statements.list, petFromColumns)
    this.#listAfter = runner.readAll(statements.listAfter, petFromColumns)
    this.#listWithStatus = runner.readAll(statements.listWithStatus, petFromColumns)
    this.#listWithStatusAfter = runner.readAll(statements.listWithStatusAfter, petFromColumns)
  }

  // Both return the runner's promise itself: one promise per call is all that the hot path pays
  // for.
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
    return status === undefined
      ? this.#listAfter([after, limit])
      : this.#listWithStatusAfter([status, after, limit])
  }
}

/** Pets in an SQL database, read and written by prepared statements. */
export class SqlPetRepository extends SqlPetReader implements PetRepository {
  readonly #writer: PetWriter
  readonly #findKey
  readonly #deleteKey
  readonly #expiredKeys: ExpiredKeys
  readonly #adding = new Set<Promise<unknown>>()

  /**
   * `onBackgroundFailure` is called when expired keys could not be deleted. They are deleted later.
   */
  constructor(
    statements: PetStatements,
    runner: StatementRunner,
    writer: PetWriter,
    onBackgroundFailure?: (error: unknown) => void,
  ) {
    super(statements, runner)
    this.#writer = writer
    this.#findKey = runner.readOne(statements.findKey, (columns) => columns)
    this.#deleteKey = runner.writeOptional(statements.deleteKey)
    this.#expiredKeys = new ExpiredKeys(statements, runner, onBackgroundFailure)
  }

  async add(pet: NewPet, cancellation?: Cancellation): Promise<Pet> {
    const columns = columnsFromPet(pet)
    const id = await tracked(this.#adding, this.#writer.add(columns, cancellation))
    return petFromColumns([id, ...columns])
  }

  /**
   * The primary key of the table of keys decides which of several concurrent calls is first; the
   * others find its pet.
   */
  addWithKey(pet: NewPet, key: IdempotencyKey, cancellation?: Cancellation): Promise<CreatedPet> {
    return tracked(this.#adding, this.#addWithKey(pet, key, cancellation))
  }

  /** Resolves when all adds that were begun have ended and no work is left in the background. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#adding)
    await this.#expiredKeys.finish()
  }

  async #addWithKey(
    pet: NewPet,
    used: IdempotencyKey,
    cancellation?: Cancellation,
  ): Promise<CreatedPet> {
    const columns = columnsFromPet(pet)
    const { owner, key, fingerprint } = used
    const at = BigInt(used.at.getTime())
    const expired = at - BigInt(IDEMPOTENCY_KEY_LIFETIME_MS)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const id = await this.#writer.addWithKey([owner, key, fingerprint, at], columns, cancellation)
      if (id !== undefined) {
        this.#expiredKeys.deleteInBackground(expired)
        return { pet: petFromColumns([id, ...columns]), isReplay: false }
      }
      const known = await this.#findKey([owner, key])
      if (known === undefined) continue
      const [knownFingerprint, knownAt, petId] = known
      const isExpired = knownAt <= expired
      if (!isExpired && knownFingerprint !== fingerprint) {
        throw new PetError(
          'idempotency_key_reused',
          'This idempotency key was used to create another pet.',
        )
      }
      const found = isExpired ? undefined : await this.find(petId)
      if (found !== undefined) return { pet: found, isReplay: true }
      // Expired, or its pet was deleted by hand, or is only visible later.
      const isDeleted = isExpired || ((await this.#writer.isDeleted?.(petId)) ?? true)
      if (isDeleted) await this.#deleteKey([owner, key, petId])
    }
    throw persistenceUnavailable({
      message: 'Too many requests with the same idempotency key at the same time.',
    })
  }
}

/**
 * Makes a pet from its columns without validating it: a rule added later must not hide pets that
 * are stored already. An absent status stays absent. Two literals, because a pet made in two
 * assignments costs a second hidden class; and indexes instead of a pattern, because a pattern goes
 * through an iterator.
 */
function petFromColumns(columns: PetColumns): Pet {
  const status = columns[3]
  if (status === null) return { id: columns[0], name: columns[1], categoryId: columns[2] }
  return {
    id: columns[0],
    name: columns[1],
    categoryId: columns[2],
    status,
  } satisfies Required<Pet>
}

/** The opposite, for a pet that has no id yet. */
function columnsFromPet({ name, categoryId, status }: PetInput): NewPetColumns {
  return [name, categoryId, status ?? null]
}
