import type { SqlValue, TableColumns } from '@pet-store/persistence-mikro-orm'
import type { ClientBase } from 'pg'

/**
 * Inserts rows into a table, in their order. One array for each column, so that the number of parameters does not grow
 * with the rows. The transaction is the caller's.
 */
export async function insertRows(
  connection: ClientBase,
  { table, columns, onConflict = '' }: TableColumns,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  if (rows.length === 0) return
  const names = namesOf(columns)
  await connection.query(
    `insert into ${table} (${names}) select * from unnest(${arraysOf(columns)}) ${onConflict}`,
    columns.map((_, place) => rows.map((row) => row[place])),
  )
}

/**
 * The text of an insert of such rows that gives back their ids. The sequence gives ids in the order in which the rows
 * come from `unnest`, so the smallest one belongs to the first row; in which order they come back is not promised.
 */
export function insertReturningIds({ table, columns }: TableColumns): string {
  const names = namesOf(columns)
  return `insert into ${table} (${names}) select ${names} from unnest(${arraysOf(columns)})
    with ordinality as added(${names}, place) order by place returning id`
}

function namesOf(columns: TableColumns['columns']): string {
  return columns.map(({ name }) => name).join(', ')
}

/** One array for each column. */
function arraysOf(columns: TableColumns['columns']): string {
  return columns.map(({ isInteger }, index) => `$${index + 1}::${isInteger ? 'bigint' : 'text'}[]`).join(', ')
}
