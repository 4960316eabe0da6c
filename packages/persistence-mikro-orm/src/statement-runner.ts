import type { BulkColumns } from './bulk-columns.ts'

/**
 * One SQL statement with placeholders, for a database to prepare once and run often.
 * `Values` is the order of its placeholders, `Row` is what it gives back; both exist for the compiler alone.
 */
export interface Statement<Values extends readonly SqlValue[], Row> {
  /** Different for every statement: databases that keep prepared statements by name use this one. */
  readonly name: string
  readonly sql: string
  /** Rows are lists of columns instead of objects. Drivers make lists in less time. */
  readonly isPositional?: boolean
  /**
   * There where it inserts its values as one row and gives back the new id: into which columns. A runner may put many
   * such rows into one statement.
   */
  readonly insert?: BulkColumns
  readonly '~values'?: Values
  readonly '~row'?: Row
}

/** A statement whose rows are lists of columns, in the order in which it names them. */
export interface PositionalStatement<Values extends readonly SqlValue[], Columns extends readonly SqlValue[]>
  extends Statement<Values, Columns> {
  readonly isPositional: true
}

/** What the statements are given. The runner has to pass and return every `bigint` exactly. */
export type SqlValue = string | bigint | number | null

/**
 * Runs prepared statements on one database. Each adapter brings its own, in the fastest way that its driver has.
 * Every method prepares the statement or notes it down, and gives a function that runs it.
 * The functions never throw: what goes wrong comes back as a rejected promise. Where the database cannot be reached at
 * present, that is a `PersistenceUnavailable`.
 */
export interface StatementRunner {
  /** For reading at most one row. */
  readOne<Values extends readonly SqlValue[], Row, Result>(
    statement: Statement<Values, Row>,
    map: (row: Row) => Result,
  ): (values: Values) => Promise<Result | undefined>

  /** For reading rows; their order is kept. Where their number is limited, the limit is the last value. */
  readAll<Values extends readonly SqlValue[], Row, Result>(
    statement: Statement<Values, Row>,
    map: (row: Row) => Result,
  ): (values: Values) => Promise<readonly Result[]>

  /**
   * For a write that gives back one row, or none. The promise is kept after the commit, as durable as the database can;
   * a rejected one has changed nothing, also when other writes run at the same time.
   */
  tryWrite<Values extends readonly SqlValue[], Row>(
    statement: Statement<Values, Row>,
  ): (values: Values) => Promise<Row | undefined>

  /** The same, for a write that gives back a row in any case. */
  write<Values extends readonly SqlValue[], Row>(statement: Statement<Values, Row>): (values: Values) => Promise<Row>
}
