import type { BulkColumns } from '@pet-store/persistence-mikro-orm'
import type { ClientBase } from 'pg'

/**
 * Inserts rows into a table, in their order. One array for each column, so that the number of parameters does not grow
 * with the rows. The transaction is the caller's.
 */
export async function insertRows(
  connection: ClientBase,
  { table, columns }: BulkColumns,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name).join(', ')
  const arrays = columns.map(({ isInteger }, index) => `$${index + 1}::${isInteger ? 'bigint' : 'text'}[]`)
  await connection.query(
    `insert into ${table} (${names}) select * from unnest(${arrays.join(', ')})`,
    columns.map(({ name }) => rows.map((row) => Reflect.get(row, name) as unknown)),
  )
}
