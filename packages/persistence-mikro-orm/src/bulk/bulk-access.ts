import type { EntitySchema } from '@mikro-orm/core'
import type { InferKyselyDB, SqlEntityManager } from '@mikro-orm/sql'
import type { BulkAccess, PetImportProgress } from '@pet-store/persistence'
import {
  API_KEY_CODEC,
  type Codec,
  fieldsOf,
  IDEMPOTENCY_KEY_CODEC,
  PET_IMPORT_CODEC,
  rowDecoder,
  rowEncoder,
  type SqlValue,
} from '../entities/codec.ts'
import {
  ApiKeyRecord,
  IdempotencyKeyRecord,
  NEW_PET_CODEC,
  PET_CODEC,
  PetImportRecord,
  PetRecord,
} from '../entities/records.ts'
import { columnsOf, type TableColumns } from '../statements/table-columns.ts'

/** What each database does in its own way. */
export interface BulkDatabase extends Pick<BulkAccess, 'lastPetId' | 'movePetIdsPast' | 'close'> {
  /** Runs a statement that only reads. Rows are lists of columns; an integer of 64 bits is a bigint or text. */
  read(statement: SqlText): Promise<readonly (readonly SqlValue[])[]>
  /**
   * Inserts rows into a table in one transaction: all or none. If a statement comes with them that changes no row,
   * nothing is inserted and the result is `false`.
   */
  insert(table: InsertTable, rows: readonly (readonly SqlValue[])[], also?: SqlText): Promise<boolean>
}

/** The columns into which rows are inserted, in the order of their values. */
interface InsertTable extends Pick<TableColumns, 'table' | 'columns'> {
  /** The end of the insert, for rows that replace others. */
  readonly onConflict?: string
}

/** A statement with its values. */
export interface SqlText {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

// Entity and property names in the program, table and column names in the SQL.
const NAMES = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property' } as const
type Tables = InferKyselyDB<
  typeof PetRecord | typeof PetImportRecord | typeof IdempotencyKeyRecord | typeof ApiKeyRecord,
  typeof NAMES
>

/** Joins what the databases share, whose statements the ORM makes of the entities, with what each does in its own way. */
export function createBulkAccess(em: SqlEntityManager, database: BulkDatabase): BulkAccess {
  const { read, insert } = database
  const db = em.getKysely<Tables, typeof NAMES>(NAMES)
  const newPets = bulkTable(em, PetRecord, NEW_PET_CODEC)
  const pets = bulkTable(em, PetRecord, PET_CODEC)
  const imports = bulkTable(em, PetImportRecord, PET_IMPORT_CODEC, { replaces: true })
  const idempotencyKeys = bulkTable(em, IdempotencyKeyRecord, IDEMPOTENCY_KEY_CODEC, { replaces: true })
  const apiKeys = bulkTable(em, ApiKeyRecord, API_KEY_CODEC, { replaces: true })

  const readAll = async <Item>(table: BulkTable<Item>, query: Compilable): Promise<readonly Item[]> =>
    (await read(query.compile())).map(table.fromRow)
  const write = async <Item>(table: BulkTable<Item>, items: readonly Item[]): Promise<void> => {
    await insert(table, items.map(table.toRow))
  }

  /** Changes no row if the import is no longer where `from` says. */
  function advanceImport({ from, to }: PetImportProgress): SqlText {
    const row = imports.toRow(to)
    const record: unknown = Object.fromEntries(imports.fields.map((field, index) => [field, row[index]]))
    const { id, ...columns } = record as InferRow<'PetImportRecord'>
    if (from === undefined) {
      const begin = db.insertInto('PetImportRecord').values({ id, ...columns })
      return begin.onConflict((conflict) => conflict.doNothing()).compile()
    }
    const advance = db.updateTable('PetImportRecord').set(columns).where('id', '=', from.id)
    return advance.where('lines', '=', BigInt(from.lines)).where('state', '=', from.state).compile()
  }

  return {
    async countPets() {
      const counted = db.selectFrom('PetRecord').select(({ fn }) => fn.countAll().as('pets'))
      return Number((await read(counted.compile()))[0]?.[0])
    },
    readPets({ after, status, limit }) {
      let query = db.selectFrom('PetRecord').select(pets.fields).orderBy('id').limit(limit)
      if (after !== undefined) query = query.where('id', '>', after)
      if (status !== undefined) query = query.where('status', '=', status)
      return readAll(pets, query)
    },
    writePets: (items) => write(pets, items),
    async addPets(items, progress) {
      if (await insert(newPets, items.map(newPets.toRow), progress && advanceImport(progress))) return
      throw new Error('Another import is running. Run this one again when it has ended.')
    },
    readPetImports: () => readAll(imports, db.selectFrom('PetImportRecord').select(imports.fields).orderBy('id')),
    writePetImports: (items) => write(imports, items),
    readIdempotencyKeys(limit, after) {
      const query = db.selectFrom('IdempotencyKeyRecord').select(idempotencyKeys.fields)
      const ordered = query.orderBy('owner').orderBy('key').limit(limit)
      if (after === undefined) return readAll(idempotencyKeys, ordered)
      const isAfter = ordered.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('owner', 'key'), '>', tuple(after.owner, after.key)),
      )
      return readAll(idempotencyKeys, isAfter)
    },
    writeIdempotencyKeys: (items) => write(idempotencyKeys, items),
    readApiKeys: () => readAll(apiKeys, db.selectFrom('ApiKeyRecord').select(apiKeys.fields).orderBy('id')),
    writeApiKeys: (items) => write(apiKeys, items),
    lastPetId: database.lastPetId,
    movePetIdsPast: database.movePetIdsPast,
    close: database.close,
  }
}

type InferRow<Name extends keyof Tables> = Record<keyof Tables[Name], never>
interface Compilable {
  compile(): SqlText
}

/** A table whose rows are items of the domain. */
interface BulkTable<Item> extends InsertTable {
  readonly fields: readonly (keyof Item & string)[]
  toRow(item: Item): readonly SqlValue[]
  fromRow(row: readonly SqlValue[]): Item
}

/** The table of an entity whose properties have the names of the fields. With `replaces` a row replaces that with its primary key. */
function bulkTable<Item extends object>(
  em: SqlEntityManager,
  record: EntitySchema,
  codec: Codec<Item>,
  { replaces = false } = {},
): BulkTable<Item> {
  const fields = fieldsOf(codec)
  const table = columnsOf(em, record, fields)
  const isKey = (field: string) => em.getMetadata().get(record).properties[field]?.primary === true
  const namesOf = (of: typeof fields) => of.map((field) => table.column[field])
  const others = namesOf(fields.filter((field) => !isKey(field))).map((name) => `${name} = excluded.${name}`)
  const onConflict = `on conflict (${namesOf(fields.filter(isKey)).join(', ')}) do update set ${others.join(', ')}`
  return { ...table, ...(replaces && { onConflict }), fields, toRow: rowEncoder(codec), fromRow: rowDecoder(codec) }
}
