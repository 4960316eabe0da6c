import type { EntityMetadata } from '@mikro-orm/core'
import type { InferKyselyDB, Kysely, SqlEntityManager } from '@mikro-orm/sql'
import type { PetStatus } from '@pet-store/domain'
import { ApiKeyRecord } from './api-key-record.ts'
import { compileStatement as statement } from './compile-statement.ts'
import { PetRecord } from './pet-record.ts'
import type { Statement } from './statement-runner.ts'

/** Every column of a pet's row. */
export interface PetBulkRow {
  readonly id: bigint
  readonly name: string
  readonly category_id: bigint
  readonly status: PetStatus | null
  readonly once_owner: string | null
  readonly once_key: string | null
  readonly once_fingerprint: string | null
  readonly once_at: bigint | null
}

/** Every column of an API key's row. */
export interface ApiKeyBulkRow {
  readonly id: string
  readonly sha256: string
  readonly name: string
  readonly scopes: string
  readonly created_at: bigint
  readonly expires_at: bigint | null
  readonly revoked_at: bigint | null
  readonly last_used_at: bigint | null
  readonly replaces: string | null
  readonly overlap_until: bigint | null
}

/** A table, and its columns in the order in which they are written. */
export interface BulkColumns {
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly isInteger: boolean }[]
}

interface BulkStatements {
  readonly countPets: Statement<[], { count: bigint }>
  readonly readPets: Statement<[after: bigint, limit: number], PetBulkRow>
  readonly readApiKeys: Statement<[], ApiKeyBulkRow>
  readonly pets: BulkColumns
  readonly apiKeys: BulkColumns
}

const NAMES = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property' } as const
type Tables = InferKyselyDB<typeof PetRecord | typeof ApiKeyRecord, typeof NAMES>

/** Compiles what moving rows takes, for the database of this entity manager. New columns come along by themselves. */
export function compileBulkStatements(em: SqlEntityManager): BulkStatements {
  const tables: Kysely<Tables> = em.getKysely<Tables, typeof NAMES>(NAMES)
  const after = 1n
  const limit = 2
  const count = tables.selectFrom('PetRecord').select(({ fn }) => fn.countAll<bigint>().as('count'))
  const pets = tables.selectFrom('PetRecord').selectAll().where('id', '>', after).orderBy('id').limit(limit)
  const apiKeys = tables.selectFrom('ApiKeyRecord').selectAll().orderBy('id')
  return {
    countPets: statement('pet_count', count, []),
    readPets: statement('pet_read_bulk', pets, [after, limit]),
    readApiKeys: statement('api_key_read_bulk', apiKeys, []),
    pets: columnsOf(em.getMetadata().get(PetRecord)),
    apiKeys: columnsOf(em.getMetadata().get(ApiKeyRecord)),
  }
}

function columnsOf({ tableName, props }: Pick<EntityMetadata, 'tableName' | 'props'>): BulkColumns {
  return {
    table: tableName,
    columns: props.map(({ fieldNames, runtimeType }) => ({
      name: fieldNames[0] ?? '',
      isInteger: runtimeType === 'bigint',
    })),
  }
}
