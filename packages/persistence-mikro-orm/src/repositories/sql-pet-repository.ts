import {
  type Cancellation,
  type CreatedPet,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  INT64,
  type NewPet,
  type Pet,
  PetError,
  type PetRepository,
  persistenceUnavailable,
} from '@pet-store/domain'
import { IdempotencyKeyEntity } from '../entities/idempotency-key-entity.ts'
import { columnsFromPet, petFromColumns } from '../entities/pet-columns.ts'
import type { EntityManagers } from '../orm/entity-managers.ts'
import { idempotencyKeyStatements } from '../statements/idempotency-key-statements.ts'
import { petStatements } from '../statements/pet-statements.ts'
import { RunningCalls } from '../statements/running-calls.ts'
import type { SqlDialect } from '../statements/sql-dialect.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'
import { ExpiredIdempotencyKeys } from './expired-idempotency-keys.ts'
import type { PetWriter } from './pet-writer.ts'
import { SqlPetReader } from './sql-pet-reader.ts'

/** What a repository of pets needs from its adapter. */
export interface SqlPetRepositoryParts {
  readonly dialect: SqlDialect
  readonly runner: StatementRunner
  readonly writer: PetWriter
  readonly entities: Pick<EntityManagers, 'read' | 'write'>
  /** Called when expired idempotency keys could not be deleted. They are deleted later. */
  readonly onBackgroundFailure?: ((error: unknown) => void) | undefined
}

const LIFETIME_MS = BigInt(IDEMPOTENCY_KEY_LIFETIME_MS)

/** How often a call tries to store its key while others delete and store it at the same time. */
const MAX_ATTEMPTS = 10

/** Pets in an SQL database, read and written by prepared statements. */
export interface SqlPetRepository extends PetRepository {
  /** Resolves when all adds that were begun have ended and no work is left in the background. */
  finish(): Promise<void>
}

/**
 * Makes the repository of an adapter. The class is not exported, so that the compiler reports a
 * function of the port that it lacks only once, here.
 */
export function createSqlPetRepository(parts: SqlPetRepositoryParts): SqlPetRepository {
  return new StatementPetRepository(parts)
}

class StatementPetRepository extends SqlPetReader {
  readonly #writer: PetWriter
  readonly #entities: Pick<EntityManagers, 'read' | 'write'>
  readonly #findKey
  readonly #expiredKeys: ExpiredIdempotencyKeys
  readonly #adding = new RunningCalls()

  constructor({ dialect, runner, writer, entities, onBackgroundFailure }: SqlPetRepositoryParts) {
    super(petStatements(dialect), runner)
    this.#writer = writer
    this.#entities = entities
    this.#findKey = runner.readOne(idempotencyKeyStatements(dialect).findKey, (columns) => columns)
    this.#expiredKeys = new ExpiredIdempotencyKeys(dialect, entities, onBackgroundFailure)
  }

  async add(pet: NewPet, cancellation?: Cancellation): Promise<Pet> {
    const columns = columnsFromPet(pet)
    const id = await this.#adding.track(this.#writer.add(columns, cancellation))
    return petFromColumns([id, ...columns])
  }

  /**
   * Of several concurrent calls with one key, the first to insert the key stores its pet. The
   * insert of every other call conflicts with the primary key, and the call finds that pet.
   */
  addWithKey(pet: NewPet, key: IdempotencyKey, cancellation?: Cancellation): Promise<CreatedPet> {
    return this.#adding.track(this.#addWithKey(pet, key, cancellation))
  }

  async finish(): Promise<void> {
    await this.#adding.finish()
    await this.#expiredKeys.finish()
  }

  async #addWithKey(
    pet: NewPet,
    idempotencyKey: IdempotencyKey,
    cancellation?: Cancellation,
  ): Promise<CreatedPet> {
    const columns = columnsFromPet(pet)
    const { owner, key, fingerprint } = idempotencyKey
    const at = idempotencyKey.at === undefined ? null : BigInt(idempotencyKey.at.getTime())
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      // The first attempt has sent the pet. Later ones may have deleted an expired key, which this
      // call replaces.
      const stillCancellable = attempt === 0 ? cancellation : undefined
      const keyColumns = [owner, key, fingerprint, at] as const
      const id = await this.#writer.addWithKey(keyColumns, columns, stillCancellable)
      if (id !== undefined) {
        this.#expiredKeys.deleteInBackground(at === null ? INT64.max : at - LIFETIME_MS)
        return { pet: petFromColumns([id, ...columns]), isReplay: false }
      }
      const known = await this.#findKey([owner, key])
      if (known === undefined) continue
      const [knownFingerprint, knownAt, petId, nowMs] = known
      const isExpired = (at ?? nowMs) - knownAt >= LIFETIME_MS
      const found = isExpired ? undefined : await this.find(petId)
      if (found !== undefined) {
        if (knownFingerprint === fingerprint) return { pet: found, isReplay: true }
        throw new PetError(
          'idempotency_key_reused',
          'This idempotency key was used to create another pet.',
        )
      }
      // The key has expired, or its pet was deleted by hand or is not visible yet.
      const isDeleted = isExpired || ((await this.#writer.isDeleted?.(petId)) ?? true)
      // The condition on `petId` spares a key that has become the key of another pet meanwhile.
      if (isDeleted) {
        await this.#entities.write('idempotency_key_delete', (em) =>
          em.nativeDelete(IdempotencyKeyEntity, { owner, key, petId }),
        )
      }
    }
    throw persistenceUnavailable({
      message: 'Too many requests with the same idempotency key at the same time.',
    })
  }
}
