import type { InferKyselyDB, Kysely, SqlEntityManager } from '@mikro-orm/sql'
import type { Pet, PetInput } from '@pet-store/domain'
import type {
  BulkAccess,
  PetImport,
  PetImportProgress,
  StoredApiKey,
  StoredIdempotencyKey,
} from '@pet-store/persistence'
import { ApiKeyRecord } from '../entities/api-key-record.ts'
import { IdempotencyKeyRecord } from '../entities/idempotency-key-record.ts'
import { PetImportRecord } from '../entities/pet-import-record.ts'
import { PetRecord } from '../entities/pet-record.ts'
import { SqlPetRepository } from '../repositories/sql-pet-repository.ts'
import { compileStatement } from '../statements/compile-statement.ts'
import { compilePetStatements } from '../statements/pet-statements.ts'
import type { PositionalStatement, SqlValue, StatementRunner } from '../statements/statement-runner.ts'
import type { TableColumns } from '../statements/table-columns.ts'
import { type BulkTable, bulkTable, type Codecs, count, plain, scopeList, time } from './bulk-table.ts'

const NEW_PET: Codecs<PetInput> = { name: plain, categoryId: plain, status: plain }
const PET: Codecs<Pet> = { id: plain, ...NEW_PET }
const PET_IMPORT: Codecs<PetImport> = {
  id: plain,
  sha256: plain,
  fileSha256: plain,
  state: plain,
  lines: count,
  changedAt: time,
}
const IDEMPOTENCY_KEY: Codecs<StoredIdempotencyKey> = {
  owner: plain,
  key: plain,
  fingerprint: plain,
  petId: plain,
  at: time,
}
const API_KEY: Codecs<StoredApiKey> = {
  id: plain,
  sha256: plain,
  name: plain,
  scopes: scopeList,
  createdAt: time,
  createdBy: plain,
  expiresAt: time,
  revokedAt: time,
  revokedBy: plain,
  lastUsedAt: time,
  replaces: plain,
  overlapUntil: time,
}

/** What each database does in its own way. */
export interface BulkWriter
  extends Pick<
    BulkAccess,
    'readPetLines' | 'writePetLines' | 'maxStoredBytes' | 'lastPetId' | 'movePetIdsPast' | 'close'
  > {
  /** The same as `insert` for new pets, as lines. */
  insertPetLines?(lines: Uint8Array, also?: BulkStatement): Promise<boolean>
  /**
   * Inserts rows into a table in one transaction: all or none. If a statement comes with them that changes no row,
   * nothing is inserted and the result is `false`.
   */
  insert(table: TableColumns, rows: readonly (readonly SqlValue[])[], also?: BulkStatement): Promise<boolean>
}

/** A statement with its values. */
export interface BulkStatement {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/**
 * The columns of pets in the order in which lines have them, as the entity has them, so that an export need not wait for
 * the ORM. `hot-statements.test.ts` of the SQLite adapter compares them. A field that is missing here does not compile.
 */
export const PET_LINE_COLUMNS: TableColumns = {
  table: 'pet',
  columns: Object.values({
    id: { name: 'id', isInteger: true },
    name: { name: 'name', isInteger: false },
    categoryId: { name: 'category_id', isInteger: true },
    status: { name: 'status', isInteger: false },
  } satisfies Record<keyof Pet, TableColumns['columns'][number]>),
}

/** The same for new pets. */
export const NEW_PET_LINE_COLUMNS: TableColumns = {
  ...PET_LINE_COLUMNS,
  columns: PET_LINE_COLUMNS.columns.filter(({ name }) => name !== 'id'),
}

/** Joins what the databases share with what each does in its own way. Most of it asks for the ORM, when it is needed. */
export function createBulkAccess(em: () => SqlEntityManager, runner: StatementRunner, writer: BulkWriter): BulkAccess {
  let tables: BulkTables | undefined
  const opened = () => {
    tables ??= openTables(em(), runner)
    return tables
  }
  const { insert, insertPetLines, ...rest } = writer

  async function write<Item>(table: BulkTable<Item>, items: readonly Item[]): Promise<void> {
    await insert(table, items.map(table.toRow))
  }

  return {
    ...rest,
    countPets: () => em().fork().count(PetRecord),
    readPets: async (query) => opened().repository.list(query),
    writePets: async (items) => write(opened().pets, items),
    async addPets(items, progress) {
      const { newPets, advanceImport } = opened()
      expectAdvance(await insert(newPets, items.map(newPets.toRow), progress && advanceImport(progress)))
    },
    ...(insertPetLines && {
      async addPetLines(lines: Uint8Array, progress?: PetImportProgress) {
        expectAdvance(await insertPetLines(lines, progress && opened().advanceImport(progress)))
      },
    }),
    readPetImports: async () =>
      (
        await em()
          .fork()
          .find(PetImportRecord, {}, { orderBy: { id: 'asc' } })
      ).map(opened().petImports.fromRecord),
    writePetImports: async (items) => write(opened().petImports, items),
    readIdempotencyKeys: async (limit, { owner, key } = { owner: '', key: '' }) =>
      opened().readIdempotencyKeys([owner, key, limit]),
    writeIdempotencyKeys: async (items) => write(opened().idempotencyKeys, items),
    readApiKeys: async () =>
      (
        await em()
          .fork()
          .find(ApiKeyRecord, {}, { orderBy: { id: 'asc' } })
      ).map(opened().apiKeys.fromRecord),
    writeApiKeys: async (items) => write(opened().apiKeys, items),
  }
}

type BulkTables = ReturnType<typeof openTables>

function openTables(em: SqlEntityManager, runner: StatementRunner) {
  const metadata = em.getMetadata()
  const petImports = bulkTable(metadata.get(PetImportRecord), PET_IMPORT, { replaces: true })
  const idempotencyKeys = bulkTable(metadata.get(IdempotencyKeyRecord), IDEMPOTENCY_KEY, { replaces: true })
  const statements = compileBulkStatements(em, idempotencyKeys.fields)
  return {
    newPets: bulkTable(metadata.get(PetRecord), NEW_PET),
    pets: bulkTable(metadata.get(PetRecord), PET),
    apiKeys: bulkTable(metadata.get(ApiKeyRecord), API_KEY),
    petImports,
    idempotencyKeys,
    repository: new SqlPetRepository(compilePetStatements(em), runner),
    readIdempotencyKeys: runner.readAll(statements.readIdempotencyKeys, idempotencyKeys.fromRow),

    advanceImport({ from, to }: PetImportProgress): BulkStatement {
      const [id, ...values] = petImports.toRow(to) as [SqlValue, ...SqlValue[]]
      if (from === undefined) return { sql: statements.beginImport, values: [id, ...values] }
      return { sql: statements.advanceImport, values: [...values, from.id, from.sha256, from.state] }
    },
  }
}

function expectAdvance(isDone: boolean): void {
  if (!isDone) throw new Error('Another import is running. Run this one again when it has ended.')
}

type Columns = readonly SqlValue[]
const NAMES = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property' } as const
type Tables = InferKyselyDB<typeof PetImportRecord | typeof IdempotencyKeyRecord, typeof NAMES>

function compileBulkStatements(em: SqlEntityManager, fields: readonly (keyof StoredIdempotencyKey)[]) {
  const tables: Kysely<Tables> = em.getKysely<Tables, typeof NAMES>(NAMES)
  const [owner, key, limit] = ['owner', 'key', 2]
  const readKeys = tables
    .selectFrom('IdempotencyKeyRecord')
    .select(fields)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('owner', 'key'), '>', tuple(owner, key)))
    .orderBy('owner')
    .orderBy('key')
    .limit(limit)

  const to = { sha256: 'to', fileSha256: 'file', state: 'unfinished', lines: 1n, changedAt: 2n } as const
  const [id, from, fromState] = [3n, 'from', 'finished'] as const
  const begin = tables
    .insertInto('PetImportRecord')
    .values({ id, ...to })
    .onConflict((conflict) => conflict.doNothing())
  const advance = tables
    .updateTable('PetImportRecord')
    .set(to)
    .where('id', '=', id)
    .where('sha256', '=', from)
    .where('state', '=', fromState)

  return {
    readIdempotencyKeys: statement<[owner: string, key: string, limit: number], Columns>(
      'idempotency_key_read',
      readKeys,
      [owner, key, limit],
    ),
    beginImport: compileStatement('pet_import_begin', begin, [id, ...Object.values(to)]).sql,
    advanceImport: compileStatement('pet_import_advance', advance, [...Object.values(to), id, from, fromState]).sql,
  }
}

function statement<Values extends readonly SqlValue[], Row extends readonly SqlValue[]>(
  name: string,
  query: Parameters<typeof compileStatement>[1],
  values: readonly SqlValue[],
): PositionalStatement<Values, Row> {
  return { ...compileStatement(name, query, values), isPositional: true }
}
