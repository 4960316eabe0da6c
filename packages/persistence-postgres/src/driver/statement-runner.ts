import type { Cancellation } from '@pet-store/domain'
import type { SqlValue, Statement, StatementRunner, TableColumns } from '@pet-store/persistence-mikro-orm'
import type { Pooler } from '../settings.ts'
import { isConflict, notSent, sqlStateOf } from '../unavailable.ts'
import { groupInserts } from './group-inserts.ts'
import { insertReturningIds } from './insert-rows.ts'
import { retryConflicts } from './retry-conflicts.ts'
import type { LateValues } from './waiting-statements.ts'

/** A statement as the driver takes it, without its values. */
export interface DriverStatement {
  readonly text: string
  /** Under its name it stays prepared on each connection. */
  readonly name?: string
  readonly rowMode?: 'array'
}

/**
 * Runs one statement on a connection of its choice and returns its rows, 64-bit integers as bigints. Rejects with a
 * `persistence_unavailable` whose outcome is right for the statement, or with the server's own error; then nothing was
 * changed.
 */
export type Run = (
  statement: DriverStatement,
  values: readonly unknown[],
  cancellation?: Cancellation,
) => Promise<unknown[]>

/** The same for writes, whose values may be asked for late. */
export type RunWrite = (
  statement: DriverStatement,
  values: readonly unknown[] | LateValues,
  cancellation?: Cancellation,
) => Promise<unknown[]>

/** A runner that puts inserts together. */
export interface PostgresStatementRunner extends StatementRunner {
  /** Resolves when every insert has settled. Connections are closed after that. */
  finish(): Promise<void>
}

/**
 * Runs statements by the given functions, for writing and for reading. Under a name a statement stays prepared on each
 * connection, which saves the server parsing and planning it each time.
 */
export function createPostgresStatementRunner(
  pooler: Pooler,
  write: RunWrite,
  read: Run = write,
): PostgresStatementRunner {
  const isPrepared = pooler !== 'transaction-unprepared'
  const finishing: (() => Promise<void>)[] = []

  function prepare<Values extends readonly SqlValue[], Row, Result, Sent extends readonly unknown[] | LateValues>(
    { name, sql, isPositional }: Statement<Values, Row>,
    run: (statement: DriverStatement, values: Sent, cancellation?: Cancellation) => Promise<unknown[]>,
    resultOf: (rows: readonly Row[]) => Result,
  ): (values: Sent, cancellation?: Cancellation) => Promise<Result> {
    const statement: DriverStatement = {
      text: sql,
      ...(isPrepared && { name }),
      ...(isPositional && { rowMode: 'array' }),
    }
    // The compiler knows the rows from the statement; the driver cannot.
    const fromRows = resultOf as (rows: unknown[]) => Result
    return (values, cancellation) =>
      run(statement, values, cancellation).then(fromRows, (error: unknown) => {
        if (isConflict(error)) return retryConflicts(() => run(statement, values, cancellation)).then(fromRows)
        throw withHint(error, pooler)
      })
  }

  function prepareOne<Values extends readonly SqlValue[], Row>(statement: Statement<Values, Row>) {
    return prepare(statement, write, ([row]) => {
      if (row === undefined) throw new Error(`${statement.name} returned no row`)
      return row
    })
  }

  /** Rows that are new ids, in the order of the rows that were inserted. */
  function prepareMany<Row>(name: string, insert: TableColumns) {
    const many = { name: `${name}_many`, sql: insertReturningIds(insert), isPositional: true }
    return prepare<[], readonly [id: bigint], readonly Row[], LateValues>(
      many,
      write,
      (rows) => rows.toSorted(byId) as readonly unknown[] as readonly Row[],
    )
  }

  return {
    readOne: (statement, map) => prepare(statement, read, ([row]) => (row === undefined ? undefined : map(row))),

    readAll: (statement, map) => prepare(statement, read, (rows) => rows.map(map)),

    tryWrite: (statement) => prepare(statement, write, ([row]) => row),

    write(statement) {
      const alone = prepareOne(statement)
      if (statement.insert === undefined) return alone
      const inserts = groupInserts(alone, prepareMany(statement.name, statement.insert))
      finishing.push(inserts.finish)
      return inserts.add
    },

    async finish() {
      await Promise.all(finishing.map((finish) => finish()))
    },
  }
}

/** SQLSTATE of a prepared statement that is not there, or is there already: the pooler has changed the connection. */
const LOST_STATEMENT = new Set(['26000', '42P05'])

function withHint(error: unknown, pooler: Pooler): unknown {
  if (pooler !== 'transaction' || !LOST_STATEMENT.has(sqlStateOf(error) ?? '')) return error
  return notSent(
    'The pooler does not support prepared statements, as PgBouncer before 1.21: set DATABASE_POOLER=transaction-unprepared.',
    error,
  )
}

function byId([one]: readonly [bigint], [other]: readonly [bigint]): number {
  return one < other ? -1 : 1
}
