import type { InferKyselyDB, Kysely, SqlEntityManager } from '@mikro-orm/sql'
import type { ApiKeyRow } from '../entities/api-key-mapping.ts'
import type { ApiKeyRecord } from '../entities/api-key-record.ts'
import { compileStatement } from './compile-statement.ts'
import type { Statement } from './statement-runner.ts'

/** The statement on API keys that is needed while a request waits. */
export type FindApiKeyByHash = Statement<readonly [sha256: string], ApiKeyRow>

// Entity and property names in the program, table and column names in the SQL.
const NAMES = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property' } as const
type Tables = InferKyselyDB<typeof ApiKeyRecord, typeof NAMES>

/** Compiles the statement for the database of this entity manager; nothing is run. */
export function compileFindApiKeyByHash(em: SqlEntityManager): FindApiKeyByHash {
  const tables: Kysely<Tables> = em.getKysely<Tables, typeof NAMES>(NAMES)
  const sha256 = 'sha256'
  const query = tables
    .selectFrom('ApiKeyRecord as found')
    .leftJoin('ApiKeyRecord as successor', 'successor.replaces', 'found.id')
    .select([
      'found.id as id',
      'found.name as name',
      'found.scopes as scopes',
      'found.createdAt as createdAt',
      'found.createdBy as createdBy',
      'found.expiresAt as expiresAt',
      'found.revokedAt as revokedAt',
      'found.revokedBy as revokedBy',
      'found.lastUsedAt as lastUsedAt',
      'successor.id as replacedBy',
      'successor.overlapUntil as overlapUntil',
    ])
    .where('found.sha256', '=', sha256)
  return compileStatement('api_key_find_by_hash', query, [sha256])
}
