import type { SqlValue, TableColumns } from '@pet-store/persistence-mikro-orm'
import type { Database, Statement } from 'better-sqlite3'

/** Rows share a statement because calling the driver costs about as much as storing a row. */
const ROWS_PER_STATEMENT = 100

/** Inserts rows into a table in the given order, inside the caller's transaction. */
export function insertRows(
  database: Database,
  { table, columns, onConflict = '' }: TableColumns,
  rows: Iterable<readonly SqlValue[]>,
): void {
  const names = columns.map(({ name }) => name).join(', ')
  const prepare = (count: number) => {
    const row = `(${columns.map(() => '?').join(', ')})`
    return database.prepare(`insert into ${table} (${names}) values ${Array(count).fill(row).join(', ')} ${onConflict}`)
  }
  let many: Statement | undefined
  let values: SqlValue[] = []
  for (const row of rows) {
    values.push(...row)
    if (values.length < ROWS_PER_STATEMENT * columns.length) continue
    many ??= prepare(ROWS_PER_STATEMENT)
    many.run(values)
    values = []
  }
  if (values.length > 0) prepare(values.length / columns.length).run(values)
}
