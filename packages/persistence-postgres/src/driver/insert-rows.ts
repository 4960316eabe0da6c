import type { SqlValue, TableColumns } from '@pet-store/persistence-mikro-orm'
import type { ClientBase } from 'pg'

/**
 * Inserts rows that may replace others, which COPY cannot. The values are sent as one array for each column, so that the
 * number of parameters does not grow with the rows.
 */
export async function insertRows(
  client: ClientBase,
  { table, columns, onConflict = '' }: TableColumns,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const sql = `insert into ${table} (${namesOf(columns)}) select * from unnest(${arraysOf(columns)}) ${onConflict}`
  await client.query(
    sql,
    columns.map((_, place) => rows.map((row) => row[place])),
  )
}

/**
 * Returns an insert of such rows that returns their ids. The sequence assigns ids in the order in which the rows come
 * from `unnest`, so the smallest one belongs to the first row; the order in which they are returned is not guaranteed.
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
