import type { SqlValue, TableColumns } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'

/** Rows share a statement because calling the driver costs about as much as storing a row. */
const ROWS_PER_STATEMENT = 100

/** Inserts rows into a table in the given order, inside the caller's transaction. */
export function insertRows(
  database: Database,
  { table, columns, onConflict = '' }: TableColumns,
  rows: readonly (readonly SqlValue[])[],
): void {
  const names = columns.map(({ name }) => name)
  const prepare = (count: number) => {
    const row = `(${names.map(() => '?').join(', ')})`
    return database.prepare(
      `insert into ${table} (${names.join(', ')}) values ${Array(count).fill(row).join(', ')} ${onConflict}`,
    )
  }
  const many = rows.length < ROWS_PER_STATEMENT ? undefined : prepare(ROWS_PER_STATEMENT)
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const part = rows.slice(start, start + ROWS_PER_STATEMENT)
    const values = part.flat()
    const insert = part.length === ROWS_PER_STATEMENT && many ? many : prepare(part.length)
    insert.run(values)
  }
}
