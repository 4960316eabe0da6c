import { type InferEntity, LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import type { ApiKey, ApiKeyRepository, KeyUse, NewApiKey } from '@pet-store/access'
import { apiKeyFromRow, recordFromApiKey, toMilliseconds } from '../entities/api-key-mapping.ts'
import { ApiKeyRecord } from '../entities/api-key-record.ts'
import type { FindApiKeyByHash } from '../statements/api-key-statements.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'

/**
 * Runs work with an entity manager of its own, whose errors become those of the ports. Each adapter brings its own,
 * because databases differ in how a transaction waits and fails.
 */
export interface EntityAccess {
  read<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result>
  /** Runs the work in one transaction, possibly more than once: it must have no effect outside the database. */
  write<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result>
}

/** API keys in an SQL database, as entities; only the look-up by hash, on which requests wait, is a prepared statement. */
export class SqlApiKeyRepository implements ApiKeyRepository {
  readonly #entities: EntityAccess
  readonly #findByHash
  readonly #writing = new Set<Promise<unknown>>()

  constructor(entities: EntityAccess, findByHash: FindApiKeyByHash, runner: StatementRunner) {
    this.#entities = entities
    this.#findByHash = runner.readOne(findByHash, apiKeyFromRow)
  }

  /** Resolves when all writes that were begun have ended. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#writing)
  }

  async #write<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result> {
    const writing = this.#entities.write(work)
    this.#writing.add(writing)
    try {
      return await writing
    } finally {
      this.#writing.delete(writing)
    }
  }

  async add(key: NewApiKey): Promise<void> {
    await this.#write((em) => em.insert(ApiKeyRecord, recordFromApiKey(key)))
  }

  async replace(id: string, successor: NewApiKey, until: Date): Promise<boolean> {
    const record = { ...recordFromApiKey(successor), replaces: id, overlapUntil: toMilliseconds(until) }
    const hasSuccessor = async (em: SqlEntityManager) => (await em.count(ApiKeyRecord, { replaces: id })) > 0
    try {
      return await this.#write(async (em) => {
        if ((await em.count(ApiKeyRecord, { id })) === 0) {
          throw new Error(`There is no key ${JSON.stringify(id)} to replace.`)
        }
        if (await hasSuccessor(em)) return false
        await em.insert(ApiKeyRecord, record)
        return true
      })
    } catch (error) {
      // Another call may have stored a successor at the same time: then the unique index has rejected this one.
      if (error instanceof UniqueConstraintViolationException && (await this.#entities.read(hasSuccessor))) return false
      throw error
    }
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const records = await this.#entities.read((em) => em.find(ApiKeyRecord, { $or: [{ id }, { replaces: id }] }))
    return apiKeysFrom(records).find((key) => key.id === id)
  }

  findByHash(sha256: string): Promise<ApiKey | undefined> {
    return this.#findByHash([sha256])
  }

  async list(changedSince?: Date): Promise<readonly ApiKey[]> {
    return apiKeysFrom(
      await this.#entities.read(async (em) => {
        const orderBy = { createdAt: 'asc' } as const
        if (changedSince === undefined) return em.find(ApiKeyRecord, {}, { orderBy })
        const since = { $gte: toMilliseconds(changedSince) }
        const changed = await em.find(ApiKeyRecord, { $or: [{ createdAt: since }, { revokedAt: since }] })
        // The row of a new key says which key it replaces: that one has changed as well.
        const ids = changed.flatMap(({ id, replaces }) => (replaces == null ? [id] : [id, replaces]))
        return em.find(ApiKeyRecord, { id: { $in: ids } }, { orderBy })
      }),
    )
  }

  revoke(id: string, at: Date, by?: string): Promise<boolean> {
    const revocation = { revokedAt: toMilliseconds(at), revokedBy: by ?? null }
    return this.#write(async (em) => {
      const revoked = await em.nativeUpdate(ApiKeyRecord, { id, revokedAt: null }, revocation)
      return revoked > 0 || (await em.count(ApiKeyRecord, { id })) > 0
    })
  }

  async markUsed(uses: readonly KeyUse[]): Promise<void> {
    if (uses.length === 0) return
    const latest = new Map<string, bigint>()
    for (const { id, at } of uses) {
      const time = toMilliseconds(at)
      if (time > (latest.get(id) ?? Number.NEGATIVE_INFINITY)) latest.set(id, time)
    }
    await this.#write(async (em) => {
      // Locked in the same order everywhere, so that two instances do not wait for each other.
      // SQLite has one writer at a time, whose transaction the ORM does not know.
      const lockMode = em.isInTransaction() ? LockMode.PESSIMISTIC_WRITE : LockMode.NONE
      const isUsed = { id: { $in: [...latest.keys()] } }
      for (const record of await em.find(ApiKeyRecord, isUsed, { orderBy: { id: 'asc' }, lockMode })) {
        const time = latest.get(record.id)
        if (time !== undefined && time > (record.lastUsedAt ?? Number.NEGATIVE_INFINITY)) record.lastUsedAt = time
      }
      // One statement for hundreds of keys.
      await em.flush()
    })
  }
}

type Record = Readonly<InferEntity<typeof ApiKeyRecord>>

/** A row says which key it replaces; a key says by which one it was replaced. */
function apiKeysFrom(records: readonly Record[]): readonly ApiKey[] {
  const successors = new Map(records.map((record) => [record.replaces, record]))
  return records.map((record) => {
    const successor = successors.get(record.id)
    return apiKeyFromRow({
      id: record.id,
      name: record.name,
      scopes: record.scopes,
      createdAt: record.createdAt,
      createdBy: record.createdBy ?? null,
      expiresAt: record.expiresAt ?? null,
      revokedAt: record.revokedAt ?? null,
      revokedBy: record.revokedBy ?? null,
      lastUsedAt: record.lastUsedAt ?? null,
      replacedBy: successor?.id ?? null,
      overlapUntil: successor?.overlapUntil ?? null,
    })
  })
}
