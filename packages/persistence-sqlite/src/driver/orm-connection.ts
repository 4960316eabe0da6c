import type { Database, Statement } from 'better-sqlite3'
import type { SqliteDatabase } from 'kysely'

type Row = Record<string, unknown>

/**
 * A database as Kysely, which the ORM uses, needs it: 64-bit integers are read exactly, which the
 * driver would round by default.
 */
export function ormConnection(database: Database): SqliteDatabase {
  return {
    prepare(sql) {
      const statement: Statement<unknown[], Row> = database.prepare(sql)
      if (statement.reader) statement.safeIntegers()
      return {
        reader: statement.reader,
        all: (values) => statement.all(...values).map(withNumbers),
        run: (values) => statement.run(...values),
        iterate: (values) => statement.iterate(...values),
      }
    },

    // The adapter, which opened the database, closes it.
    close() {},
  }
}

/** Makes a number of every integer that fits, because the ORM expects numbers where it counts. */
function withNumbers(row: Row): Row {
  for (const [column, value] of Object.entries(row)) {
    const number = Number(value)
    if (typeof value === 'bigint' && Number.isSafeInteger(number)) row[column] = number
  }
  return row
}
