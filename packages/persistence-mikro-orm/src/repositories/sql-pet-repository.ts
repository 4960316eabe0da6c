import {
  type Cancellation,
  type CreatedPet,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  type NewPet,
  type Pet,
  PetError,
  type PetId,
  type PetRepository,
  persistenceUnavailable,
} from '@pet-store/domain'
import { columnsFromPet, type NewPetColumns, petFromColumns } from '../entities/pet-mapping.ts'
import type { PetStatements } from '../statements/pet-statements.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'
import { ExpiredKeys } from './expired-keys.ts'
import { SqlPetReader } from './sql-pet-reader.ts'

/** Adds pets. Each adapter brings its own, because databases differ in what one statement and one transaction can do. */
export interface PetWriter {
  /** Resolves to the new id after the commit, and rejects as `writeOptional` of a `StatementRunner` does. */
  add(pet: NewPetColumns, cancellation?: Cancellation): Promise<PetId>
  /** Adds a pet and its idempotency key, both or neither. Resolves to `undefined` if the key of this owner is taken. */
  addWithKey(key: NewKeyColumns, pet: NewPetColumns, cancellation?: Cancellation): Promise<PetId | undefined>
}

/** A new idempotency key, without the id of its pet. */
export type NewKeyColumns = readonly [owner: string, key: string, fingerprint: string, at: bigint]

export interface SqlPetRepositoryOptions {
  /** Whether a pet can become visible later than its key, which the same transaction has added. Default: false. */
  readonly petsFollowKeys?: boolean
  /** Called when expired keys could not be deleted. They are deleted later. */
  readonly onBackgroundFailure?: ((error: unknown) => void) | undefined
}

/** How often a key is claimed when others delete and claim it at the same time. */
const MAX_ATTEMPTS = 10

/** How often, and after which pause, a pet is looked for that follows its key. */
const MAX_LOOKS = 20
const LOOK_PAUSE_MS = 50

/** Pets in an SQL database, read and written by prepared statements. */
export class SqlPetRepository extends SqlPetReader implements PetRepository {
  readonly #writer: PetWriter
  readonly #findKey
  readonly #deleteKey
  readonly #expiredKeys: ExpiredKeys
  readonly #petsFollowKeys: boolean
  readonly #adding = new Set<Promise<unknown>>()

  constructor(
    statements: PetStatements,
    runner: StatementRunner,
    writer: PetWriter,
    { petsFollowKeys = false, onBackgroundFailure }: SqlPetRepositoryOptions = {},
  ) {
    super(statements, runner)
    this.#writer = writer
    this.#findKey = runner.readOne(statements.findKey, (columns) => columns)
    this.#deleteKey = runner.writeOptional(statements.deleteKey)
    this.#expiredKeys = new ExpiredKeys(statements, runner, onBackgroundFailure)
    this.#petsFollowKeys = petsFollowKeys
  }

  add(pet: NewPet, cancellation?: Cancellation): Promise<Pet> {
    return this.#untilFinished(this.#add(pet, cancellation))
  }

  /** The primary key of the table of keys decides which of several concurrent calls is first; the others find its pet. */
  addWithKey(pet: NewPet, key: IdempotencyKey, cancellation?: Cancellation): Promise<CreatedPet> {
    return this.#untilFinished(this.#addWithKey(pet, key, cancellation))
  }

  /** Resolves when all adds that were begun have ended and no work is left in the background. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#adding)
    await this.#expiredKeys.finish()
  }

  async #untilFinished<Result>(adding: Promise<Result>): Promise<Result> {
    this.#adding.add(adding)
    try {
      return await adding
    } finally {
      this.#adding.delete(adding)
    }
  }

  async #add(pet: NewPet, cancellation: Cancellation | undefined): Promise<Pet> {
    const columns = columnsFromPet(pet)
    const id = await this.#writer.add(columns, cancellation)
    return petFromColumns([id, ...columns])
  }

  async #addWithKey(
    pet: NewPet,
    idempotencyKey: IdempotencyKey,
    cancellation: Cancellation | undefined,
  ): Promise<CreatedPet> {
    const columns = columnsFromPet(pet)
    const { owner, key, fingerprint } = idempotencyKey
    const at = BigInt(idempotencyKey.at.getTime())
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
        throw new PetError('idempotency_key_reused', 'This idempotency key was used to create another pet.')
      }
      const found = isExpired ? undefined : await this.#findPetOfKey(petId)
      if (found !== undefined) return { pet: found, isReplay: true }
      // Expired, or its pet was deleted by hand.
      await this.#deleteKey([owner, key, petId])
    }
    throw persistenceUnavailable({ message: 'Too many requests with the same idempotency key at the same time.' })
  }

  async #findPetOfKey(id: PetId): Promise<Pet | undefined> {
    if (!this.#petsFollowKeys) return this.find(id)
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      const pet = await this.find(id)
      if (pet !== undefined) return pet
      await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS))
    }
    throw persistenceUnavailable({
      message: 'The pet of this idempotency key is not visible yet. Repeat the request later.',
      outcome: 'unknown',
    })
  }
}
