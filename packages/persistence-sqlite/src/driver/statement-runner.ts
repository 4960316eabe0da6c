import type { SqlValues, Statement, StatementRunner } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { type AddRead, createGroupedReads } from './grouped-reads.ts'

/**
 * Runs statements on the driver itself, where they stay prepared. Every integer is read exactly, as
 * a `bigint`. The driver is synchronous, so the reads of one turn of the event loop are collected
 * and run together, unless `addRead` runs them in another way.
 */
export function createSqliteStatementRunner(
  database: Database,
  addRead: AddRead = createGroupedReads(database),
): StatementRunner {
  function prepare<Values extends SqlValues, Row extends SqlValues>(
    statement: Statement<Values, Row>,
  ) {
    return database.prepare<[Values], Row>(statement.sql).safeIntegers().raw()
  }

  return {
    readOne(statement, map) {
      const prepared = prepare(statement)
      return (values) =>
        addRead(() => {
          const row = prepared.get(values)
          return row === undefined ? undefined : map(row)
        })
    },

    readAll(statement, map) {
      const prepared = prepare(statement)
      return (values) => addRead(() => prepared.all(values).map(map))
    },
  }
}
