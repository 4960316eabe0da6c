import { type FilterQuery, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import type { ApiKey, ApiKeyRepository, KeyUse, NewApiKey } from '@pet-store/access'
import { apiKeyFromRow, rowFromApiKey } from '../entities/api-key-columns.ts'
import { ApiKeyEntity, type ApiKeyRow } from '../entities/api-key-entity.ts'
import type { EntityManagers } from '../orm/entity-managers.ts'
import { markKeysUsed } from '../statements/api-key-statements.ts'
import type { SqlDialect } from '../statements/sql-dialect.ts'

/** API keys in an SQL database, read and written as entities. */
export class MikroOrmApiKeyRepository implements ApiKeyRepository {
  readonly #entities: EntityManagers
  readonly #dialect: Pick<SqlDialect, 'apiKeyLock'>

  constructor(entities: EntityManagers, dialect: Pick<SqlDialect, 'apiKeyLock'>) {
    this.#entities = entities
    this.#dialect = dialect
  }

  async add(key: NewApiKey): Promise<void> {
    await this.#entities.write('api_key_add', (em) => em.insert(ApiKeyEntity, rowFromApiKey(key)))
  }

  replace(id: string, successor: NewApiKey, until: Date): Promise<boolean> {
    const row = rowFromApiKey({ ...successor, replaces: id, overlapUntil: until })
    return this.#entities.write('api_key_replace', async (em) => {
      if ((await em.count(ApiKeyEntity, { id })) === 0)
        throw new Error(`There is no key ${JSON.stringify(id)} to replace.`)
      // `replaces` is unique, so only one of several concurrent calls inserts its row.
      const insert = em.createQueryBuilder(ApiKeyEntity).insert(row).onConflict('replaces').ignore()
      try {
        return (await insert.execute('run')).affectedRows > 0
      } catch (error) {
        // Of two calls with one successor, PostgreSQL may notice first that its id is taken.
        if (isTaken(error, em) && (await em.count(ApiKeyEntity, { replaces: id })) > 0) return false
        throw error
      }
    })
  }

  find(id: string): Promise<ApiKey | undefined> {
    return this.#findOne('api_key_find', { id })
  }

  findByHash(sha256: string): Promise<ApiKey | undefined> {
    return this.#findOne('api_key_find_by_hash', { sha256 })
  }

  list(): Promise<readonly ApiKey[]> {
    return this.#findAll('api_key_list', {}, () => true)
  }

  listChangedSince(time: Date): Promise<readonly ApiKey[]> {
    const since = { $gte: time }
    const changed = [{ createdAt: since }, { revokedAt: since }]
    // A key changes too when its successor is added. Successors of changed keys are read for them.
    const where = {
      $or: [...changed, { successor: { createdAt: since } }, { replaces: { $or: changed } }],
    }
    return this.#findAll('api_key_list_changed', where, (row, successor) =>
      [row.createdAt, row.revokedAt, successor?.createdAt].some((at) => at && at >= time),
    )
  }

  revoke(id: string, at: Date, by?: string): Promise<boolean> {
    return this.#entities.write('api_key_revoke', async (em) => {
      if ((await em.count(ApiKeyEntity, { id })) === 0) return false
      await em.nativeUpdate(
        ApiKeyEntity,
        { id, revokedAt: null },
        { revokedAt: at, revokedBy: by ?? null },
      )
      return true
    })
  }

  async markUsed(uses: readonly KeyUse[]): Promise<void> {
    if (uses.length === 0) return
    const latest = new Map<string, number>()
    for (const { id, at } of uses) {
      latest.set(id, Math.max(at.getTime(), latest.get(id) ?? Number.NEGATIVE_INFINITY))
    }
    await this.#entities.write('api_key_mark_used', (em) =>
      em.execute(markKeysUsed(latest.size, this.#dialect), [...latest].flat(), 'run'),
    )
  }

  #findOne(name: string, where: FilterQuery<ApiKeyRow>): Promise<ApiKey | undefined> {
    return this.#entities.read(name, async (em) => {
      const found = await em.findOne(ApiKeyEntity, where, { populate: ['successor'] })
      return found === null ? undefined : keyWithSuccessor(found, found.successor)
    })
  }

  /**
   * The wanted keys of those that are found. Their successors must be found too. `where` is an
   * object, because the types of MikroORM allow no conditions on a relation with `mapToPk`.
   */
  #findAll(
    name: string,
    where: object,
    isWanted: (row: ApiKeyRow, successor: ApiKeyRow | undefined) => boolean,
  ): Promise<readonly ApiKey[]> {
    return this.#entities.read(name, async (em) => {
      const found = await em.find(ApiKeyEntity, where, {
        orderBy: { createdAt: 'asc' },
      })
      const successors = new Map(found.map((row) => [row.replaces, row]))
      return found
        .filter((row) => isWanted(row, successors.get(row.id)))
        .map((row) => keyWithSuccessor(row, successors.get(row.id)))
    })
  }
}

/** Whether a statement has changed nothing because a unique value is taken. */
function isTaken(error: unknown, em: SqlEntityManager): boolean {
  if (!(error instanceof Error)) return false
  // The errors of a query builder are those of the driver.
  return em.getDriver().convertException(error) instanceof UniqueConstraintViolationException
}

/**
 * Makes a key of the port, which has the id of its successor, from a row, which has the id of the
 * key that it replaces. A replaced key expires at the end of the overlap, unless it expires earlier
 * anyway.
 */
function keyWithSuccessor(row: ApiKeyRow, successor: ApiKeyRow | null | undefined): ApiKey {
  const { sha256: _, replaces: __, overlapUntil: ___, ...key } = apiKeyFromRow(row)
  if (!successor) return key
  const { id, overlapUntil } = apiKeyFromRow(successor)
  const expiresAt = earlierOf(key.expiresAt, overlapUntil)
  return { ...key, ...(expiresAt && { expiresAt }), replacedBy: id }
}

function earlierOf(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}
