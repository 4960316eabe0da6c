import { type InferEntity, type RequiredEntityData, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import type { ApiKey, ApiKeyRepository, KeyUse, NewApiKey } from '@pet-store/access'
import type { StoredApiKey } from '@pet-store/persistence'
import { ApiKeyRecord } from '../entities/api-key-record.ts'
import { API_KEY_CODEC, fieldsOf, rowDecoder, rowEncoder, type SqlValue } from '../entities/codec.ts'
import type { Statement, StatementRunner } from '../statements/statement-runner.ts'
import { namesOf, statementFor } from '../statements/table-columns.ts'

/**
 * Runs work with an entity manager of its own, whose errors become those of the ports. Each adapter brings its own,
 * because databases differ in how a transaction waits and fails.
 */
export interface EntityAccess {
  read<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result>
  /**
   * Runs the work in one transaction, possibly more than once: it must have no effect outside the database. What it reads
   * is not changed by others before its commit.
   */
  write<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result>
}

const FIELDS = fieldsOf(API_KEY_CODEC)
const encodeRow = rowEncoder(API_KEY_CODEC)
const decodeRow = rowDecoder(API_KEY_CODEC)

/** API keys in an SQL database, as entities; only the look-up by hash, on which requests wait, is a prepared statement. */
export class SqlApiKeyRepository implements ApiKeyRepository {
  readonly #entities: EntityAccess
  readonly #findByHash
  readonly #writing = new Set<Promise<unknown>>()

  constructor(em: SqlEntityManager, entities: EntityAccess, runner: StatementRunner) {
    this.#entities = entities
    this.#findByHash = runner.readOne(compileFindByHash(em), keyWithSuccessor)
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
    await this.#write((em) => em.insert(ApiKeyRecord, encode(key)))
  }

  async replace(id: string, successor: NewApiKey, until: Date): Promise<boolean> {
    const record = encode({ ...successor, replaces: id, overlapUntil: until })
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
    return apiKeysFrom(records.map(decode)).find((key) => key.id === id)
  }

  findByHash(sha256: string): Promise<ApiKey | undefined> {
    return this.#findByHash([sha256])
  }

  async list(changedSince?: Date): Promise<readonly ApiKey[]> {
    const records = await this.#entities.read(async (em) => {
      const orderBy = { createdAt: 'asc' } as const
      if (changedSince === undefined) return em.find(ApiKeyRecord, {}, { orderBy })
      const since = { $gte: BigInt(changedSince.getTime()) }
      const changed = await em.find(ApiKeyRecord, { $or: [{ createdAt: since }, { revokedAt: since }] })
      // The row of a new key says which key it replaces: that one has changed as well.
      const ids = changed.flatMap(({ id, replaces }) => (replaces == null ? [id] : [id, replaces]))
      return em.find(ApiKeyRecord, { id: { $in: ids } }, { orderBy })
    })
    return apiKeysFrom(records.map(decode))
  }

  revoke(id: string, at: Date, by?: string): Promise<boolean> {
    const revocation = { revokedAt: BigInt(at.getTime()), revokedBy: by ?? null }
    return this.#write(async (em) => {
      const revoked = await em.nativeUpdate(ApiKeyRecord, { id, revokedAt: null }, revocation)
      return revoked > 0 || (await em.count(ApiKeyRecord, { id })) > 0
    })
  }

  async markUsed(uses: readonly KeyUse[]): Promise<void> {
    if (uses.length === 0) return
    const latest = new Map<string, bigint>()
    for (const { id, at } of uses) {
      const time = BigInt(at.getTime())
      if (time > (latest.get(id) ?? Number.NEGATIVE_INFINITY)) latest.set(id, time)
    }
    await this.#write(async (em) => {
      for (const record of await em.find(ApiKeyRecord, { id: { $in: [...latest.keys()] } })) {
        const time = latest.get(record.id)
        if (time !== undefined && time > (record.lastUsedAt ?? Number.NEGATIVE_INFINITY)) record.lastUsedAt = time
      }
      // One statement for hundreds of keys.
      await em.flush()
    })
  }
}

/** The properties of the entity; those that a key may lack are `null`. */
function encode(key: StoredApiKey): RequiredEntityData<InferEntity<typeof ApiKeyRecord>> {
  const row = encodeRow(key)
  const record: unknown = Object.fromEntries(FIELDS.map((field, index) => [field, row[index]]))
  // The compiler compares the fields of the codec with those of the entity, and the contract their values.
  return record as RequiredEntityData<InferEntity<typeof ApiKeyRecord>>
}

/** A key in the order of its codec, then its successor. */
function compileFindByHash(em: SqlEntityManager): Statement<readonly [sha256: string], readonly SqlValue[]> {
  const { table, column } = namesOf(em, ApiKeyRecord, FIELDS)
  const columns = ['found', 'successor'].flatMap((key) => FIELDS.map((field) => `${key}.${column[field]}`))
  return statementFor(em)(
    'api_key_find_by_hash',
    `select ${columns.join(', ')} from ${table} as found
      left join ${table} as successor on successor.${column.replaces} = found.${column.id}
      where found.${column.sha256} = $1`,
  )
}

function decode(record: InferEntity<typeof ApiKeyRecord>): StoredApiKey {
  return decodeRow(FIELDS.map((field) => record[field] ?? null))
}

function keyWithSuccessor(row: readonly SqlValue[]): ApiKey {
  const successor = row.slice(FIELDS.length)
  return apiKeyFrom(decodeRow(row), successor[0] === null ? undefined : decodeRow(successor))
}

/** A stored key says which one it replaces; a key of the port says by which one it was replaced. */
function apiKeysFrom(stored: readonly StoredApiKey[]): readonly ApiKey[] {
  const successors = new Map(stored.map((key) => [key.replaces, key]))
  return stored.map((key) => apiKeyFrom(key, successors.get(key.id)))
}

function apiKeyFrom(stored: StoredApiKey, successor: StoredApiKey | undefined): ApiKey {
  const { sha256: _, replaces: __, overlapUntil: ___, ...key } = stored
  const expiresAt = earlier(key.expiresAt, successor?.overlapUntil)
  return { ...key, ...(expiresAt && { expiresAt }), ...(successor && { replacedBy: successor.id }) }
}

function earlier(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}
