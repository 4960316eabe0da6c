import type { Cancellation } from '@pet-store/domain'
import type { SqlValue, Statement, StatementRunner, TableColumns } from '@pet-store/persistence-mikro-orm'
import type { QueryConfig, QueryResult } from 'pg'
import pg from 'pg'
import type { Pooler } from '../settings.ts'
import { isConflict, notSent, sqlStateOf } from '../unavailable.ts'
import { groupInserts } from './group-inserts.ts'
import { insertReturningIds } from './insert-rows.ts'
import { retryConflicts } from './retry-conflicts.ts'

/**
 * Runs one statement on a connection of its choice. Rejects with a `PersistenceUnavailable` whose outcome is right for
 * the statement, or with the server's own error; then nothing was changed.
 */
export type Run = (query: QueryConfig, cancellation?: Cancellation) => Promise<QueryResult>

/** A runner that puts inserts together. */
export interface PostgresStatementRunner extends StatementRunner {
  /** Resolves when every insert has settled. Connections are closed after that. */
  finish(): Promise<void>
}

const INT8 = pg.types.builtins.INT8

/** Columns of 64 bits are read as bigints, exactly; the driver returns texts otherwise. */
const types = {
  getTypeParser: ((oid: number, format?: 'text') => (oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format))) as
    // The declared type names one overload per format, and texts are the only format that is requested.
    typeof pg.types.getTypeParser,
}

/**
 * Runs statements by the given functions, for writing and for reading. Under a name a statement stays prepared on each
 * connection, which saves the server parsing and planning it each time.
 */
export function createPostgresStatementRunner(pooler: Pooler, write: Run, read: Run = write): PostgresStatementRunner {
  const isPrepared = pooler !== 'transaction-unprepared'
  const finishing: (() => Promise<void>)[] = []

  function prepare<Values extends readonly SqlValue[], Row>(
    { name, sql, isPositional }: Statement<Values, Row>,
    run: Run,
  ): (values: Values | readonly (readonly SqlValue[])[], cancellation?: Cancellation) => Promise<Row[]> {
    const common = { text: sql, types, ...(isPrepared && { name }), ...(isPositional && { rowMode: 'array' }) }
    return (values, cancellation) => {
      // The driver only reads the values. The compiler knows the rows from the statement; the driver cannot.
      const query = { ...common, values: values as unknown as SqlValue[] }
      return run(query, cancellation).then(rowsOf<Row>, (error: unknown) => {
        if (isConflict(error)) return retryConflicts(() => run(query, cancellation)).then(rowsOf<Row>)
        throw withHint(error, pooler)
      })
    }
  }

  function prepareOne<Values extends readonly SqlValue[], Row>(statement: Statement<Values, Row>) {
    const rowsFor = prepare<Values, Row>(statement, write)
    return async (values: Values, cancellation?: Cancellation): Promise<Row> => {
      const [row] = await rowsFor(values, cancellation)
      if (row === undefined) throw new Error(`${statement.name} returned no row`)
      return row
    }
  }

  /** Rows that are new ids, in the order of the rows that were inserted. */
  function prepareMany<Row>(name: string, insert: TableColumns) {
    const many = { name: `${name}_many`, sql: insertReturningIds(insert), isPositional: true }
    const rowsFor = prepare<[], readonly [id: bigint]>(many, write)
    return async (columns: readonly (readonly SqlValue[])[]) =>
      (await rowsFor(columns)).sort(byId) as readonly unknown[] as readonly Row[]
  }

  return {
    readOne(statement, map) {
      const rowsFor = prepare(statement, read)
      return async (values) => {
        const [row] = await rowsFor(values)
        return row === undefined ? undefined : map(row)
      }
    },

    readAll(statement, map) {
      const rowsFor = prepare(statement, read)
      return async (values) => (await rowsFor(values)).map(map)
    },

    tryWrite(statement) {
      const rowsFor = prepare(statement, write)
      return async (values, cancellation) => (await rowsFor(values, cancellation))[0]
    },

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

function rowsOf<Row>({ rows }: QueryResult): Row[] {
  return rows as Row[]
}

function byId([one]: readonly [bigint], [other]: readonly [bigint]): number {
  return one < other ? -1 : 1
}
