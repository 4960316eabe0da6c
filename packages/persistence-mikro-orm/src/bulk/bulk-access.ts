import type { EntitySchema } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import type { BulkAccess, PetImport, PetImportProgress } from '@pet-store/persistence'
import {
  API_KEY_CODEC,
  type Codec,
  fieldsOf,
  IDEMPOTENCY_KEY_CODEC,
  PET_IMPORT_CODEC,
  rowDecoder,
  rowEncoder,
  type SqlValues,
} from '../entities/codec.ts'
import {
  ApiKeyRecord,
  IdempotencyKeyRecord,
  NEW_PET_CODEC,
  PET_CODEC,
  PetImportRecord,
  PetRecord,
} from '../entities/records.ts'
import { SqlPetReader } from '../repositories/sql-pet-repository.ts'
import { compilePetStatements } from '../statements/pet-statements.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'
import {
  columnsOf,
  placeholders,
  statementFor,
  type TableColumns,
} from '../statements/table-columns.ts'

/** What each database does in its own way. */
export interface BulkDatabase extends Pick<BulkAccess, 'lastPetId' | 'movePetIdsPast' | 'close'> {
  readonly runner: Pick<StatementRunner, 'readOne' | 'readAll'>
  /**
   * Inserts rows into a table in one transaction: all or none. If a statement comes with them that
   * changes no row, nothing is inserted and the result is `false`.
   */
  insert(table: InsertTable, rows: readonly SqlValues[], also?: SqlText): Promise<boolean>
}

/**
 * A table and the columns of its rows. `onConflict` ends the insert of rows that replace others.
 */
type InsertTable = Pick<TableColumns, 'table' | 'columns' | 'names'> & {
  readonly onConflict: string
}

/** A statement with its values. */
interface SqlText {
  readonly sql: string
  readonly values: SqlValues
}

/** Joins what the databases share with what each does in its own way. */
export function createBulkAccess(em: SqlEntityManager, database: BulkDatabase): BulkAccess {
  const { runner, insert, ...own } = database
  const statement = statementFor(em)
  const newPets = bulkTable(em, PetRecord, NEW_PET_CODEC)
  const pets = bulkTable(em, PetRecord, PET_CODEC)
  const imports = bulkTable(em, PetImportRecord, PET_IMPORT_CODEC, { replaces: true })
  const keys = bulkTable(em, IdempotencyKeyRecord, IDEMPOTENCY_KEY_CODEC, { replaces: true })
  const apiKeys = bulkTable(em, ApiKeyRecord, API_KEY_CODEC, { replaces: true })

  const write = async <Item>(table: BulkTable<Item>, items: readonly Item[]): Promise<void> => {
    await insert(table, items.map(table.toRow))
  }
  const reading = <Item>({ table, names, fromRow }: BulkTable<Item>, name: string, rest: string) =>
    runner.readAll(
      statement<SqlValues, SqlValues>(name, `select ${names} from ${table} ${rest}`),
      fromRow,
    )

  const count = statement<[], [pets: bigint]>('pet_count', `select count(*) from ${pets.table}`)
  const countPets = runner.readOne(count, ([counted]) => Number(counted))
  const petReader = new SqlPetReader(compilePetStatements(em), runner)
  const readImports = reading(imports, 'pet_import_list', `order by ${imports.column.id}`)
  const readApiKeys = reading(apiKeys, 'api_key_list_stored', `order by ${apiKeys.column.id}`)
  const { owner, key } = keys.column
  const order = `order by ${owner}, ${key}`
  const readKeys = reading(keys, 'idempotency_key_list', `${order} limit $1`)
  const readKeysAfter = reading(
    keys,
    'idempotency_key_list_after',
    `where (${owner}, ${key}) > ($1, $2) ${order} limit $3`,
  )

  const advanceImport = importAdvance(imports, statement)

  return {
    countPets: async () => (await countPets([])) ?? 0,
    readPets: (query) => petReader.list(query),
    writePets: (items) => write(pets, items),
    async addPets(items, progress) {
      if (await insert(newPets, items.map(newPets.toRow), progress && advanceImport(progress)))
        return
      throw new Error('Another import is running. Run this one again when it has ended.')
    },
    readPetImports: () => readImports([]),
    writePetImports: (items) => write(imports, items),
    readIdempotencyKeys: (limit, after) =>
      after === undefined ? readKeys([limit]) : readKeysAfter([after.owner, after.key, limit]),
    writeIdempotencyKeys: (items) => write(keys, items),
    readApiKeys: () => readApiKeys([]),
    writeApiKeys: (items) => write(apiKeys, items),
    ...own,
  }
}

/** Changes no row if the import is no longer where `from` says. */
function importAdvance(
  { table, names, columns, column, toRow }: BulkTable<PetImport>,
  statement: ReturnType<typeof statementFor>,
) {
  return ({ from, to }: PetImportProgress): SqlText => {
    const values = toRow(to)
    if (from === undefined) {
      const begin = `insert into ${table} (${names}) values (${placeholders(columns)}) on conflict do nothing`
      return { ...statement('pet_import_begin', begin), values }
    }
    const isThere = [column.id, column.lines, column.state, column.sha256].map(
      (name, index) => `${name} = $${columns.length + index + 1}`,
    )
    const changes = columns.map(({ name }, index) => `${name} = $${index + 1}`)
    const advance = `update ${table} set ${changes.join(', ')} where ${isThere.join(' and ')}`
    return {
      ...statement('pet_import_advance', advance),
      values: [...values, from.id, BigInt(from.lines), from.state, from.sha256],
    }
  }
}

/** A table whose rows are items of the domain. */
interface BulkTable<Item> extends InsertTable, TableColumns<keyof Item & string> {
  toRow(item: Item): SqlValues
  fromRow(row: SqlValues): Item
}

/**
 * The table of an entity whose properties have the names of the fields. With `replaces` a row
 * replaces that with its primary key.
 */
function bulkTable<Item extends object>(
  em: SqlEntityManager,
  record: EntitySchema,
  codec: Codec<Item>,
  { replaces = false } = {},
): BulkTable<Item> {
  const table = columnsOf(em, record, fieldsOf(codec))
  const others = table.columns
    .filter(({ isKey }) => !isKey)
    .map(({ name }) => `${name} = excluded.${name}`)
  const keys = table.columns.filter(({ isKey }) => isKey).map(({ name }) => name)
  const onConflict = replaces
    ? `on conflict (${keys.join(', ')}) do update set ${others.join(', ')}`
    : ''
  return { ...table, onConflict, toRow: rowEncoder(codec), fromRow: rowDecoder(codec) }
}
