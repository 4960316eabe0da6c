import type { SqlDialect } from './sql-dialect.ts'
import type { SqlValues } from './sql-values.ts'

/**
 * One SQL statement with placeholders, which a database prepares once and runs often. `Values` are
 * the types of its placeholders and `Row` those of the columns that it returns, both in order; they
 * exist only for the compiler. Rows are arrays, because drivers make arrays in less time than
 * objects.
 */
export interface Statement<Values extends SqlValues, Row extends SqlValues> {
  /** Unique: databases that identify prepared statements by name use it. */
  readonly name: string
  readonly sql: string
  readonly '~values'?: Values
  readonly '~row'?: Row
}

/** Returns a function that makes statements with the placeholders of a dialect. */
export function statementsOf(dialect: SqlDialect) {
  return <Values extends SqlValues, Row extends SqlValues>(
    name: string,
    sql: string,
  ): Statement<Readonly<Values>, Row> => ({ name, sql: dialect.placeholders(sql) })
}
