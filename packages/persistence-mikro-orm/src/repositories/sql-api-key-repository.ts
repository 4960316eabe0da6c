import { type SqlEntityManager, SqlitePlatform } from '@mikro-orm/sql'
import type { ApiKey, ApiKeyRepository, KeyUse, NewApiKey } from '@pet-store/access'
import type { StoredApiKey } from '@pet-store/persistence'
import {
  API_KEY_CODEC,
  fieldsOf,
  rowDecoder,
  rowEncoder,
  type SqlValues,
} from '../entities/codec.ts'
import { ApiKeyRecord } from '../entities/records.ts'
import { tracked } from '../statements/grouped-statements.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'
import { columnsOf, placeholders, statementFor } from '../statements/table-columns.ts'

const FIELDS = fieldsOf(API_KEY_CODEC)
const encode = rowEncoder(API_KEY_CODEC)
const decode = rowDecoder(API_KEY_CODEC)

/** API keys in an SQL database, read and written by prepared statements. */
export class SqlApiKeyRepository implements ApiKeyRepository {
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #writing = new Set<Promise<unknown>>()

  constructor(em: SqlEntityManager, runner: StatementRunner) {
    this.#statements = prepareStatements(em, runner)
  }

  /** Resolves when all writes that were begun have ended. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#writing)
  }

  async add(key: NewApiKey): Promise<void> {
    await tracked(this.#writing, this.#statements.add(encode(key)))
  }

  replace(id: string, successor: NewApiKey, until: Date): Promise<boolean> {
    const replacing = async () => {
      if ((await this.find(id)) === undefined)
        throw new Error(`There is no key ${JSON.stringify(id)} to replace.`)
      const values = encode({ ...successor, replaces: id, overlapUntil: until })
      return (await this.#statements.addSuccessor(values)) !== undefined
    }
    return tracked(this.#writing, replacing())
  }

  find(id: string): Promise<ApiKey | undefined> {
    return this.#statements.find([id])
  }

  findByHash(sha256: string): Promise<ApiKey | undefined> {
    return this.#statements.findByHash([sha256])
  }

  list(): Promise<readonly ApiKey[]> {
    return this.#statements.list([])
  }

  listChangedSince(time: Date): Promise<readonly ApiKey[]> {
    const since = BigInt(time.getTime())
    return this.#statements.listChanged([since, since, since])
  }

  async revoke(id: string, at: Date, by?: string): Promise<boolean> {
    const revoked = await tracked(
      this.#writing,
      this.#statements.revoke([BigInt(at.getTime()), by ?? null, id]),
    )
    return revoked !== undefined || (await this.find(id)) !== undefined
  }

  async markUsed(uses: readonly KeyUse[]): Promise<void> {
    if (uses.length === 0) return
    const times = uses.map(({ id, at }) => ({ id, at: at.getTime() }))
    await tracked(this.#writing, this.#statements.markUsed([JSON.stringify(times)]))
  }
}

/** The reads return a key in the order of its codec, then its successor, if it has one. */
function prepareStatements(em: SqlEntityManager, runner: StatementRunner) {
  const isSqlite = em.getPlatform() instanceof SqlitePlatform
  const statement = statementFor(em)
  const { table, names, column } = columnsOf(em, ApiKeyRecord, FIELDS)
  const { id, sha256, createdAt, revokedAt, revokedBy, lastUsedAt, replaces } = column
  const columns = ['found', 'successor'].flatMap((key) =>
    FIELDS.map((field) => `${key}.${column[field]}`),
  )
  const select = `select ${columns.join(', ')} from ${table} as found
    left join ${table} as successor on successor.${replaces} = found.${id}`
  const order = `order by found.${createdAt}`
  const insert = `insert into ${table} (${names}) values (${placeholders(FIELDS)})`
  const used = isSqlite
    ? "select value ->> 'id' as id, value ->> 'at' as at from json_each($1)"
    : 'select * from json_to_recordset($1::json) as used(id text, at bigint)'

  const readOne = (name: string, where: string) =>
    runner.readOne(
      statement<SqlValues, SqlValues>(name, `${select} where ${where}`),
      keyWithSuccessor,
    )
  const readAll = (name: string, rest: string) =>
    runner.readAll(statement<SqlValues, SqlValues>(name, `${select} ${rest}`), keyWithSuccessor)
  const write = (name: string, sql: string) =>
    runner.writeOptional(statement<SqlValues, SqlValues>(name, `${sql} returning ${table}.${id}`))
  return {
    find: readOne('api_key_find', `found.${id} = $1`),
    findByHash: readOne('api_key_find_by_hash', `found.${sha256} = $1`),
    list: readAll('api_key_list', order),
    // A key that was replaced has changed when its successor was added.
    listChanged: readAll(
      'api_key_list_changed',
      `where found.${createdAt} >= $1 or found.${revokedAt} >= $2 or successor.${createdAt} >= $3 ${order}`,
    ),
    add: write('api_key_add', insert),
    // Only one of many at the same time succeeds.
    addSuccessor: write('api_key_add_successor', `${insert} on conflict (${replaces}) do nothing`),
    revoke: write(
      'api_key_revoke',
      `update ${table} set ${revokedAt} = $1, ${revokedBy} = $2 where ${id} = $3 and ${revokedAt} is null`,
    ),
    /** One statement for all of them, which come as JSON. */
    markUsed: write(
      'api_key_mark_used',
      `update ${table} set ${lastUsedAt} = latest.at
        from (select id, max(at) as at from (${used}) as used group by id) as latest
        where ${table}.${id} = latest.id and (${lastUsedAt} is null or ${lastUsedAt} < latest.at)`,
    ),
  }
}

/** A stored key says which one it replaces; a key of the port says by which one it was replaced. */
function keyWithSuccessor(row: SqlValues): ApiKey {
  const { sha256: _, replaces: __, overlapUntil: ___, ...key } = decode(row)
  const columns = row.slice(FIELDS.length)
  if (columns[0] === null) return key
  const successor = decode(columns)
  return { ...key, ...endOf(key, successor), replacedBy: successor.id }
}

/** A key ends with the overlap, unless it ends earlier anyway. */
function endOf(
  { expiresAt }: Partial<StoredApiKey>,
  { overlapUntil }: StoredApiKey,
): { readonly expiresAt?: Date } {
  if (expiresAt === undefined || overlapUntil === undefined)
    return overlapUntil ? { expiresAt: overlapUntil } : {}
  return { expiresAt: expiresAt < overlapUntil ? expiresAt : overlapUntil }
}
