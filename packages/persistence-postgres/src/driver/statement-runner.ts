import type { SqlValue, Statement, StatementRunner, TableColumns } from '@pet-store/persistence-mikro-orm'
import type { QueryConfig, QueryResult } from 'pg'
import pg from 'pg'
import { unavailableOr } from '../unavailable.ts'
import { groupInserts } from './group-inserts.ts'
import { insertReturningIds } from './insert-rows.ts'

/** Has one statement run on whatever connection is right for it. */
export type Run = (query: QueryConfig) => Promise<QueryResult>

/** A runner that puts inserts together. */
export interface PostgresStatementRunner extends StatementRunner {
  /** Waits until every insert has reached a connection and is answered. Connections are closed after that. */
  finish(): Promise<void>
}

const INT8 = pg.types.builtins.INT8

/** Columns of 64 bits are read as bigints, exactly; the driver gives texts otherwise. */
const types = {
  getTypeParser: ((oid: number, format?: 'text') => (oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format))) as
    // The declared type names one overload per format, and texts are the only format that is asked for.
    typeof pg.types.getTypeParser,
}

/**
 * Runs statements on the connections that it is given, for reading and for writing. Under a name a statement stays
 * prepared on each connection, which saves the server parsing and planning it each time.
 */
export function createPostgresStatementRunner(
  isPrepared: boolean,
  write: Run,
  read: Run = write,
): PostgresStatementRunner {
  const finishing: (() => Promise<void>)[] = []

  function prepare<Values extends readonly SqlValue[], Row>(
    { name, sql, isPositional }: Statement<Values, Row>,
    run: Run,
  ): (values: Values | readonly (readonly SqlValue[])[]) => Promise<Row[]> {
    const common = { text: sql, types, ...(isPrepared && { name }), ...(isPositional && { rowMode: 'array' }) }
    // The driver only reads the values. The compiler knows the rows from the statement; the driver cannot.
    return (values) => run({ ...common, values: values as unknown as SqlValue[] }).then(rowsOf<Row>, refuse)
  }

  function prepareOne<Values extends readonly SqlValue[], Row>(statement: Statement<Values, Row>) {
    const rowsFor = prepare<Values, Row>(statement, write)
    return async (values: Values): Promise<Row> => {
      const [row] = await rowsFor(values)
      if (row === undefined) throw new Error(`${statement.name} gave back no row`)
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
      return async (values) => (await rowsFor(values))[0]
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

function rowsOf<Row>({ rows }: QueryResult): Row[] {
  return rows as Row[]
}

function refuse(error: unknown): never {
  throw unavailableOr(error)
}

function byId([one]: readonly [bigint], [other]: readonly [bigint]): number {
  return one < other ? -1 : 1
}
