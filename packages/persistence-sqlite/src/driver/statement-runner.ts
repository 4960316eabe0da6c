import type { Cancellation } from '@pet-store/domain'
import type { SqlValue, Statement, StatementRunner } from '@pet-store/persistence-mikro-orm'
import type { Database, Statement as Prepared } from 'better-sqlite3'
import type { GroupCommit } from './group-commit.ts'
import type { GroupRead } from './group-read.ts'

/**
 * Runs statements on the driver itself, where they stay prepared. Every integer is read as a `bigint`, exactly. The
 * driver is synchronous, so the reads and the writes of one turn of the event loop are collected and run together.
 */
export function createSqliteStatementRunner(
  database: Database,
  commits: GroupCommit,
  reads: GroupRead,
): StatementRunner {
  function prepare<Values extends readonly SqlValue[], Row>(
    statement: Statement<Values, Row>,
  ): Prepared<[Values], Row> {
    const prepared = database.prepare<[Values], Row>(statement.sql).safeIntegers()
    return prepared.reader ? prepared.raw(statement.isPositional === true) : prepared
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

    tryWrite(statement) {
      const { next } = statement
      const prepared = prepare(statement)
      if (next === undefined) {
        return (values, cancellation) =>
          commits.add(() => prepared.get(values), { bytes: bytesOf(values), cancellation })
      }
      const second = database.prepare(next.sql)
      // Inside the transaction of the group this is a savepoint.
      const both = database.transaction((values: readonly SqlValue[]) => {
        const row = prepared.get(values.slice(next.firstStart) as never)
        if (row !== undefined) second.run([...(row as readonly SqlValue[]), ...values.slice(0, next.end)])
        return row
      })
      return (values, cancellation) => commits.add(() => both(values), { bytes: bytesOf(values), cancellation })
    },

    write<Values extends readonly SqlValue[], Row>(statement: Statement<Values, Row>) {
      const prepared = prepare(statement)
      return (values: Values, cancellation?: Cancellation) =>
        commits.add(
          () => {
            const row = prepared.get(values)
            if (row === undefined) throw new Error(`${statement.name} returned no row`)
            return row
          },
          { bytes: bytesOf(values), cancellation },
        )
    },
  }
}

/** The memory that a waiting write holds, roughly: its texts, and its closures. */
function bytesOf(values: readonly SqlValue[]): number {
  let bytes = 500
  for (const value of values) if (typeof value === 'string') bytes += 2 * value.length
  return bytes
}
