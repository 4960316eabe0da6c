import type { Database, Statement } from 'better-sqlite3'
import { SqliteDialect, type SqliteStatement } from 'kysely'

/**
 * Lets MikroORM use an open database without rounding 64-bit integers.
 *
 * By default the driver returns numbers, which are wrong above 2^53, or always bigints, which break the ORM's own
 * arithmetic (`em.count()`, versions, dates). So integers are read as bigints and become numbers where these are exact.
 */
export function createExactDialect(database: Database): SqliteDialect {
  return new SqliteDialect({
    database: {
      prepare: (sql) => exactStatement(database.prepare<unknown[], Row>(sql).safeIntegers()),
      close: () => database.close(),
    },
  })
}

type Row = Record<string, unknown>

function exactStatement(statement: Statement<unknown[], Row>): SqliteStatement {
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(...parameters).map(narrowIntegers),
    run: (parameters) => statement.run(...parameters),
    *iterate(parameters) {
      for (const row of statement.iterate(...parameters)) yield narrowIntegers(row)
    },
  }
}

function narrowIntegers(row: Row): Row {
  for (const [column, value] of Object.entries(row)) {
    if (typeof value === 'bigint' && isExactAsNumber(value)) row[column] = Number(value)
  }
  return row
}

function isExactAsNumber(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
}
