import type { SqlValues } from './sql-values.ts'
import type { Statement } from './statement.ts'

/**
 * Runs prepared statements that read one database. Each adapter has its own, in the fastest way
 * that its driver offers. Every method prepares or registers a statement and returns a function
 * that runs it. The function never throws; it rejects, with `persistence_unavailable` if the
 * database is unavailable.
 */
export interface StatementRunner {
  /** For reading at most one row. */
  readOne<Values extends SqlValues, Row extends SqlValues, Result>(
    statement: Statement<Values, Row>,
    map: (row: Row) => Result,
  ): (values: Values) => Promise<Result | undefined>

  /** For reading rows in their order. If their number is limited, the limit is the last value. */
  readAll<Values extends SqlValues, Row extends SqlValues, Result>(
    statement: Statement<Values, Row>,
    map: (row: Row) => Result,
  ): (values: Values) => Promise<readonly Result[]>
}
