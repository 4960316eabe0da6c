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
  const names = namesOf(columns)
  await connection.query(
    `insert into ${table} (${names}) select * from unnest(${arraysOf(columns)})`,
    columns.map(({ name }) => rows.map((row) => Reflect.get(row, name) as unknown)),
  )
}

/**
 * The text of an insert of such rows that gives back their ids. The sequence gives ids in the order in which the rows
 * come from `unnest`, so the smallest one belongs to the first row; in which order they come back is not promised.
 */
export function insertReturningIds({ table, columns }: BulkColumns): string {
  const names = namesOf(columns)
  return `insert into ${table} (${names}) select ${names} from unnest(${arraysOf(columns)})
    with ordinality as added(${names}, place) order by place returning id`
}

function namesOf(columns: BulkColumns['columns']): string {
  return columns.map(({ name }) => name).join(', ')
}

/** One array for each column. */
function arraysOf(columns: BulkColumns['columns']): string {
  return columns.map(({ isInteger }, index) => `$${index + 1}::${isInteger ? 'bigint' : 'text'}[]`).join(', ')
}
