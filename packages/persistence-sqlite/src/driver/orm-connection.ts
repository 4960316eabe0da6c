import type { Database, Statement } from 'better-sqlite3'
import type { SqliteDatabase } from 'kysely'

type Row = Record<string, unknown>

/**
 * A database as Kysely uses it below the ORM, with exact integers of 64 bits, which the driver
 * rounds by itself.
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

    // Whoever opened it closes it.
    close() {},
  }
}

/** The ORM counts with numbers, so every integer that fits becomes one. */
function withNumbers(row: Row): Row {
  for (const [column, value] of Object.entries(row)) {
    const number = Number(value)
    if (typeof value === 'bigint' && Number.isSafeInteger(number)) row[column] = number
  }
  return row
}
