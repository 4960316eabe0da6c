import type { InferKyselyDB, Kysely, SqlEntityManager } from '@mikro-orm/sql'
import type { PetStatus } from '@pet-store/domain'
import { ApiKeyRecord } from './api-key-record.ts'
import { type BulkColumns, columnsOf, newPetColumns } from './bulk-columns.ts'
import { compileStatement as statement } from './compile-statement.ts'
import { type PET_IMPORT_STATES, PetImportRecord } from './pet-import-record.ts'
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

/** A file that is in the database, whole or its first lines. */
export interface PetImportRow {
  /** Grows with every import. */
  readonly id: bigint
  /** Of those lines, each with the line feed at its end. */
  readonly sha256: string
  readonly state: (typeof PET_IMPORT_STATES)[number]
  readonly lines: bigint
  readonly changed_at: bigint
}

interface BulkStatements {
  readonly countPets: Statement<[], { count: bigint }>
  readonly readPets: Statement<[after: bigint, limit: number], PetBulkRow>
  readonly readPetsWith: Statement<[status: PetStatus, after: bigint, limit: number], PetBulkRow>
  readonly readApiKeys: Statement<[], ApiKeyBulkRow>
  readonly readPetImports: Statement<[], PetImportRow>
  /** Changes no row where there is such an id already. */
  readonly beginPetImport: Statement<[id: bigint, ...PetImportValues], never>
  /** Changes no row where the import is not at that place any more. */
  readonly movePetImport: Statement<[...PetImportValues, id: bigint, sha256: string, state: PetImportState], never>
  readonly pets: BulkColumns
  readonly newPets: BulkColumns
  readonly apiKeys: BulkColumns
  readonly petImports: BulkColumns
}

type PetImportState = PetImportRow['state']
type PetImportValues = [sha256: string, state: PetImportState, lines: bigint, changedAt: bigint]

const NAMES = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property' } as const
type Tables = InferKyselyDB<typeof PetRecord | typeof ApiKeyRecord | typeof PetImportRecord, typeof NAMES>

/** Compiles what moving rows takes, for the database of this entity manager. New columns come along by themselves. */
export function compileBulkStatements(em: SqlEntityManager): BulkStatements {
  const tables: Kysely<Tables> = em.getKysely<Tables, typeof NAMES>(NAMES)
  const after = 1n
  const limit = 2
  const status = 'sold'
  const count = tables.selectFrom('PetRecord').select(({ fn }) => fn.countAll<bigint>().as('count'))
  const all = tables.selectFrom('PetRecord').selectAll()
  const pets = all.where('id', '>', after).orderBy('id').limit(limit)
  const petsWith = all.where('status', '=', status).where('id', '>', after).orderBy('id').limit(limit)
  const apiKeys = tables.selectFrom('ApiKeyRecord').selectAll().orderBy('id')
  return {
    countPets: statement('pet_count', count, []),
    readPets: statement('pet_read_bulk', pets, [after, limit]),
    readApiKeys: statement('api_key_read_bulk', apiKeys, []),
    readPetsWith: statement('pet_read_bulk_status', petsWith, [status, after, limit]),
    ...compilePetImportStatements(tables),
    pets: columnsOf(em.getMetadata().get(PetRecord)),
    newPets: newPetColumns(em),
    apiKeys: columnsOf(em.getMetadata().get(ApiKeyRecord)),
    petImports: columnsOf(em.getMetadata().get(PetImportRecord)),
  }
}

function compilePetImportStatements(tables: Kysely<Tables>) {
  const values = { sha256: 'to', state: 'unfinished', lines: 1n, changedAt: 2n } as const
  const [id, from, fromState] = [3n, 'from', 'finished'] as const
  const all = tables.selectFrom('PetImportRecord').selectAll().orderBy('id')
  const begin = tables
    .insertInto('PetImportRecord')
    .values({ id, ...values })
    .onConflict((conflict) => conflict.doNothing())
  const move = tables
    .updateTable('PetImportRecord')
    .set(values)
    .where('id', '=', id)
    .where('sha256', '=', from)
    .where('state', '=', fromState)
  return {
    readPetImports: statement('pet_import_read', all, []),
    beginPetImport: statement('pet_import_begin', begin, [id, ...Object.values(values)]),
    movePetImport: statement('pet_import_move', move, [...Object.values(values), id, from, fromState]),
  }
}
