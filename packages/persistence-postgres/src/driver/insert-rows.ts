import type { TableColumns } from '@pet-store/persistence-mikro-orm'

/**
 * Returns an insert of many rows, one array for each column, that returns their ids. The sequence assigns ids in the order in which the rows come
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
