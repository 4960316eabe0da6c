import { type Row, Table, Transaction } from '../sql/tables.ts'

const CATALOGS = /\bpg_(?:attribute|class|database|index|locks|sequence|stat_wal_receiver|type)\b/

const LOCK_COLUMNS = {
  virtualtransaction: 'text',
  locktype: 'text',
  mode: 'text',
  relation: 'text',
  database: 'int8',
} as const

const ATTRIBUTE_COLUMNS = {
  attrelid: 'text',
  attname: 'text',
  attnum: 'int8',
  atttypid: 'int8',
  attnotnull: 'bool',
  atthasdef: 'bool',
  attisdropped: 'bool',
  attidentity: 'text',
} as const

const TYPE_COLUMNS = { oid: 'int8', typnotnull: 'bool', typdefault: 'text' } as const

const INDEX_COLUMNS = { indrelid: 'text', indisunique: 'bool', indisvalid: 'bool' } as const

const SEQUENCE_COLUMNS = {
  seqrelid: 'text',
  seqcache: 'int8',
  seqstart: 'int8',
  seqincrement: 'int8',
  seqmin: 'int8',
  seqmax: 'int8',
  seqcycle: 'bool',
} as const
const SEQUENCES = [
  {
    seqrelid: 'public.pet_id_seq',
    seqcache: 1n,
    seqstart: 1n,
    seqincrement: 1n,
    seqmin: 1n,
    seqmax: 2n ** 63n - 1n,
    seqcycle: false,
  },
]

/** Whether a statement reads one of the catalogs that are simulated. */
export function readsCatalogs(sql: string): boolean {
  return CATALOGS.test(sql)
}

/** The tables with the catalogs that our statements read. */
export function withCatalogs(
  tables: ReadonlyMap<string, Table>,
  active: Iterable<Transaction>,
  databaseName: string,
): ReadonlyMap<string, Table> {
  const names = [...tables.keys()].map((oid) => ({ oid }))
  const indexes = names.map(({ oid }) => ({ indrelid: oid, indisunique: true, indisvalid: true }))
  const databases = [{ oid: 1n, datname: databaseName }]
  const locks = [...active].flatMap(({ id, written }) =>
    [...written].map((relation) => ({
      virtualtransaction: `3/${id}`,
      locktype: 'relation',
      mode: 'RowExclusiveLock',
      relation,
      database: 1n,
    })),
  )
  return new Map([
    ...tables,
    // No table has a column beyond those that our statements set.
    ['pg_attribute', catalog('pg_attribute', ATTRIBUTE_COLUMNS, [])],
    ['pg_class', catalog('pg_class', { oid: 'text' }, names)],
    ['pg_database', catalog('pg_database', { oid: 'int8', datname: 'text' }, databases)],
    ['pg_index', catalog('pg_index', INDEX_COLUMNS, indexes)],
    ['pg_locks', catalog('pg_locks', LOCK_COLUMNS, locks)],
    ['pg_sequence', catalog('pg_sequence', SEQUENCE_COLUMNS, SEQUENCES)],
    // Who is no superuser and no monitoring user sees no state of it.
    ['pg_stat_wal_receiver', catalog('pg_stat_wal_receiver', { received_tli: 'int8' }, [])],
    ['pg_type', catalog('pg_type', TYPE_COLUMNS, [])],
  ])
}

function catalog(
  name: string,
  columns: Table['definition']['columns'],
  rows: readonly Row[],
): Table {
  const table = new Table(name, { columns, unique: [] })
  const transaction = new Transaction(0)
  for (const row of rows) table.insert(row, transaction, false)
  transaction.end('committed', 0)
  return table
}
