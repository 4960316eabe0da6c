import type { SqlValues } from './sql-values.ts'
import type { Statement } from './statement.ts'

/**
 * Runs prepared statements that read one database. Each adapter brings its own, in the fastest way
 * that its driver has. Every method prepares the statement, or registers it, and returns a function
 * that runs it. The functions never throw: errors are rejections. If the database is unavailable,
 * that is `persistence_unavailable`.
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
