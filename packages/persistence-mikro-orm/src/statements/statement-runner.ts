import type { Cancellation } from '@pet-store/domain'
import type { TableColumns } from './table-columns.ts'

/**
 * One SQL statement with placeholders, for a database to prepare once and run often.
 * `Values` is the order of its placeholders, `Row` is what it returns; both exist for the compiler alone.
 */
export interface Statement<Values extends readonly SqlValue[], Row> {
  /** Different for every statement: databases that identify prepared statements by name use this one. */
  readonly name: string
  readonly sql: string
  /** Rows are lists of columns instead of objects. Drivers make lists in less time. */
  readonly isPositional?: boolean
  /**
   * Set on a statement that inserts its values as one row and returns the new id: the columns. A runner may insert
   * many such rows in one statement.
   */
  readonly insert?: TableColumns
  /** Set on databases that cannot do both in one statement: a write that runs in the same transaction. */
  readonly next?: NextStatement
  readonly '~values'?: Values
  readonly '~row'?: Row
}

/** The second write of a transaction. It runs only if the first one returned a row. */
export interface NextStatement {
  readonly sql: string
  /** The first statement takes the values from this place on. */
  readonly firstStart: number
  /** This one takes the columns of the row, then the values before this place. */
  readonly end: number
}

/** A statement whose rows are lists of columns, in the order in which it names them. */
export interface PositionalStatement<Values extends readonly SqlValue[], Columns extends readonly SqlValue[]>
  extends Statement<Values, Columns> {
  readonly isPositional: true
}

/** A value of a statement. The runner must pass and return every `bigint` exactly. */
export type SqlValue = string | bigint | number | null

/**
 * Runs prepared statements on one database. Each adapter brings its own, in the fastest way that its driver has.
 * Every method prepares the statement, or notes it down, and returns a function that runs it.
 * The functions never throw: errors are rejections. If the database is unavailable, that is `persistence_unavailable`.
 */
export interface StatementRunner {
  /** For reading at most one row. */
  readOne<Values extends readonly SqlValue[], Row, Result>(
    statement: Statement<Values, Row>,
    map: (row: Row) => Result,
  ): (values: Values) => Promise<Result | undefined>

  /** For reading rows in their order. If their number is limited, the limit is the last value. */
  readAll<Values extends readonly SqlValue[], Row, Result>(
    statement: Statement<Values, Row>,
    map: (row: Row) => Result,
  ): (values: Values) => Promise<readonly Result[]>

  /**
   * For a write that returns one row or none. Resolves after the commit, as durable as the database can.
   * A rejected write has changed nothing, even when other writes run at the same time, unless the outcome of its
   * `persistence_unavailable` is `unknown`. A write that is cancelled before it is sent rejects with `not_stored`.
   */
  tryWrite<Values extends readonly SqlValue[], Row>(
    statement: Statement<Values, Row>,
  ): (values: Values, cancellation?: Cancellation) => Promise<Row | undefined>

  /** The same for a write that always returns a row. */
  write<Values extends readonly SqlValue[], Row>(
    statement: Statement<Values, Row>,
  ): (values: Values, cancellation?: Cancellation) => Promise<Row>
}
