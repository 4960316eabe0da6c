import type { Cancellation } from '@pet-store/domain'
import type { SqlValues } from '../entities/codec.ts'

/**
 * One SQL statement with placeholders, for a database to prepare once and run often. Rows are lists
 * of columns, in the order in which the statement names them: drivers make lists in less time than
 * objects. `Values` is the order of its placeholders, `Row` is what it returns; both exist for the
 * compiler alone.
 */
export interface Statement<Values extends SqlValues, Row extends SqlValues> {
  /**
   * Different for every statement: databases that identify prepared statements by name use this
   * one.
   */
  readonly name: string
  readonly sql: string
  readonly '~values'?: Values
  readonly '~row'?: Row
}

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
