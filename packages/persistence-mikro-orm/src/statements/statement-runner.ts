import type { Cancellation } from '@pet-store/domain'
import type { SqlValues } from './sql-values.ts'
import type { Statement } from './statement.ts'

/**
 * Runs prepared statements on one database. Each adapter brings its own, in the fastest way that
 * its driver has. Every method prepares the statement, or registers it, and returns a function that
 * runs it. The functions never throw: errors are rejections. If the database is unavailable, that
 * is `persistence_unavailable`.
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

  /**
   * For a write that returns one row or none. Resolves after the commit, as durable as the database
   * can. A rejected write has changed nothing, even when other writes run at the same time, unless
   * the outcome of its `persistence_unavailable` is `unknown`. A write that is cancelled before it
   * is sent rejects with `not_stored`.
   */
  writeOptional<Values extends SqlValues, Row extends SqlValues>(
    statement: Statement<Values, Row>,
  ): (values: Values, cancellation?: Cancellation) => Promise<Row | undefined>
}
