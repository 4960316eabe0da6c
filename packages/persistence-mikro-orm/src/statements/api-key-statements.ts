import type { InferKyselyDB, Kysely, SqlEntityManager } from '@mikro-orm/sql'
import type { ApiKeyRow } from '../entities/api-key-mapping.ts'
import type { ApiKeyRecord } from '../entities/api-key-record.ts'
import { compileStatement as statement } from './compile-statement.ts'
import type { Statement } from './statement-runner.ts'

/** What is stored of a new key. */
export type KeyValues = [
  id: string,
  sha256: string,
  name: string,
  scopes: string,
  createdAt: bigint,
  expiresAt: bigint | null,
]
type Id = Pick<ApiKeyRow, 'id'>

/** Every statement on API keys. */
export interface ApiKeyStatements {
  readonly add: Statement<KeyValues, Id>
  /** Gives back nothing where there is no such key, or it has a successor. */
  readonly replace: Statement<[...KeyValues, until: bigint, replaced: string], Id>
  readonly find: Statement<[id: string], ApiKeyRow>
  readonly findByHash: Statement<[sha256: string], ApiKeyRow>
  readonly list: Statement<[], ApiKeyRow>
  readonly revoke: Statement<[at: bigint, id: string], Id>
  /** Gives back nothing where a later use is known, or there is no such key. */
  readonly markUsed: Statement<[at: bigint, id: string, at: bigint], Id>
}

// Entity and property names in the program, table and column names in the SQL.
const NAMES = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property' } as const
type ApiKeyTables = InferKyselyDB<typeof ApiKeyRecord, typeof NAMES>

/** Compiles the statements for the database of this entity manager; nothing is run. */
export function compileApiKeyStatements(em: SqlEntityManager): ApiKeyStatements {
  const tables: Kysely<ApiKeyTables> = em.getKysely<ApiKeyTables, typeof NAMES>(NAMES)

  // Stand-ins for the values of each run; all different, so that their order can be checked.
  const id = 'id'
  const sha256 = 'sha256'
  const name = 'name'
  const scopes = 'pets:read'
  const createdAt = 1n
  const expiresAt = 2n
  const at = 3n
  const overlapUntil = 4n
  const replaced = 'replaced'

  const key = { id, sha256, name, scopes, createdAt, expiresAt } as const
  const values = [id, sha256, name, scopes, createdAt, expiresAt]
  const found = tables
    .selectFrom('ApiKeyRecord as found')
    .leftJoin('ApiKeyRecord as successor', 'successor.replaces', 'found.id')
    .select([
      'found.id',
      'found.name',
      'found.scopes',
      'found.createdAt',
      'found.expiresAt',
      'found.revokedAt',
      'found.lastUsedAt',
      'successor.id as replaced_by',
      'successor.overlapUntil',
    ])
  const replace = tables
    .insertInto('ApiKeyRecord')
    .columns(['id', 'sha256', 'name', 'scopes', 'createdAt', 'expiresAt', 'overlapUntil', 'replaces'])
    .expression((from) =>
      from
        .selectFrom('ApiKeyRecord as old')
        .select(({ val }) => [
          val(id).as('id'),
          val(sha256).as('sha256'),
          val(name).as('name'),
          val(scopes).as('scopes'),
          val(createdAt).as('createdAt'),
          val(expiresAt).as('expiresAt'),
          val(overlapUntil).as('overlapUntil'),
          'old.id as replaces',
        ])
        .where('old.id', '=', replaced),
    )
    .onConflict((taken) => taken.column('replaces').doNothing())
    .returning('id')
  const update = tables.updateTable('ApiKeyRecord').returning('id')
  const revoke = update
    .set(({ fn, ref, val }) => ({ revokedAt: fn.coalesce(ref('revokedAt'), val(at)) }))
    .where('id', '=', id)
  const markUsed = update
    .set({ lastUsedAt: at })
    .where('id', '=', id)
    .where((is) => is.or([is('lastUsedAt', 'is', null), is('lastUsedAt', '<', at)]))

  return {
    add: statement('api_key_add', tables.insertInto('ApiKeyRecord').values(key).returning('id'), values),
    replace: statement('api_key_replace', replace, [...values, overlapUntil, replaced]),
    find: statement('api_key_find', found.where('found.id', '=', id), [id]),
    findByHash: statement('api_key_find_by_hash', found.where('found.sha256', '=', sha256), [sha256]),
    list: statement('api_key_list', found.orderBy('found.createdAt'), []),
    revoke: statement('api_key_revoke', revoke, [at, id]),
    markUsed: statement('api_key_mark_used', markUsed, [at, id, at]),
  }
}
