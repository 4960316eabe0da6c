import type { SqlValue, Statement, StatementRunner } from '@pet-store/persistence-mikro-orm'
import type { Pool, QueryConfig } from 'pg'
import pg from 'pg'
import { unavailableOr } from './unavailable.ts'

const INT8 = pg.types.builtins.INT8

/** Columns of 64 bits are read as bigints, exactly; the driver gives texts otherwise. */
const types = {
  getTypeParser: ((oid: number, format?: 'text') => (oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format))) as
    // The declared type names one overload per format, and texts are the only format that is asked for.
    typeof pg.types.getTypeParser,
}

/**
 * Runs statements on the pool. Under a name a statement stays prepared on each connection, which saves the server
 * parsing and planning it each time.
 */
export function createPostgresStatementRunner(pool: Pool, isPrepared: boolean): StatementRunner {
  async function run<Values extends readonly SqlValue[], Row>(
    { name, sql }: Statement<Values, Row>,
    values: Values,
  ): Promise<Row[]> {
    const query: QueryConfig = { text: sql, values: [...values], types, ...(isPrepared && { name }) }
    try {
      // The compiler knows the rows from the statement; the driver cannot.
      return (await pool.query(query)).rows as Row[]
    } catch (error) {
      throw unavailableOr(error)
    }
  }

  return {
    readOne(statement, map) {
      return async (values) => {
        const [row] = await run(statement, values)
        return row === undefined ? undefined : map(row)
      }
    },

    readAll(statement, map) {
      return async (values) => (await run(statement, values)).map(map)
    },

    tryWrite(statement) {
      return async (values) => (await run(statement, values))[0]
    },

    write(statement) {
      return async (values) => {
        const [row] = await run(statement, values)
        if (row === undefined) throw new Error(`${statement.name} gave back no row`)
        return row
      }
    },
  }
}
