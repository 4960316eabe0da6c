import { bytesOf, type SqlValue, type Statement, type StatementRunner } from '@pet-store/persistence-mikro-orm'
import type { Database, Statement as Prepared } from 'better-sqlite3'
import type { GroupedReads } from './grouped-reads.ts'
import type { GroupedWrites } from './grouped-writes.ts'

/**
 * Runs statements on the driver itself, where they stay prepared. Every integer is read as a `bigint`, exactly. The
 * driver is synchronous, so the reads and the writes of one turn of the event loop are collected and run together.
 */
export function createSqliteStatementRunner(
  database: Database,
  writes: GroupedWrites,
  reads: GroupedReads,
): StatementRunner {
  function prepare<Values extends readonly SqlValue[], Row extends readonly SqlValue[]>({
    sql,
  }: Statement<Values, Row>): Prepared<[Values], Row> {
    return database.prepare<[Values], Row>(sql).safeIntegers().raw()
  }

  return {
    readOne(statement, map) {
      const prepared = prepare(statement)
      return (values) =>
        reads.add(() => {
          const row = prepared.get(values)
          return row === undefined ? undefined : map(row)
        })
    },

    readAll(statement, map) {
      const prepared = prepare(statement)
      return (values) => reads.add(() => prepared.all(values).map(map))
    },

    writeOptional(statement) {
      const prepared = prepare(statement)
      return (values, cancellation) => writes.add(() => prepared.get(values), bytesOf(values), cancellation)
    },
  }
}
