import type { SqlDialect } from './sql-dialect.ts'
import type { SqlValues } from './sql-values.ts'

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

/** Returns a function that makes statements with the placeholders of a dialect. */
export function statementsOf(dialect: SqlDialect) {
  return <Values extends SqlValues, Row extends SqlValues>(
    name: string,
    sql: string,
  ): Statement<Readonly<Values>, Row> => ({ name, sql: dialect.placeholders(sql) })
}
