import type { Database, Statement } from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import { REQUEST_MAX_WAIT_MS, retryWhileBusy } from './retry-while-busy.ts'

/**
 * Lets MikroORM use an open database without rounding 64-bit integers and without blocking the event loop.
 *
 * By default the driver returns numbers, which are wrong above 2^53, or always bigints, which break the ORM's own
 * arithmetic (`em.count()`, versions, dates). So integers are read as bigints and become numbers where these are exact.
 *
 * Transactions of the ORM take the write lock when they begin, and wait for it without blocking the thread.
 */
export function createExactDialect(database: Database): SqliteDialect {
  const config: SqliteDialectConfig = {
    database: {
      prepare: (sql) => exactStatement(database.prepare<unknown[], Row>(sql).safeIntegers()),
      close: () => database.close(),
    },
  }
  const dialect = new SqliteDialect(config)
  dialect.createDriver = () => new RetryingDriver(config)
  return dialect
}

class RetryingDriver extends SqliteDriver {
  #connection: DatabaseConnection | undefined

  override async acquireConnection(): Promise<DatabaseConnection> {
    const inner = await super.acquireConnection()
    this.#connection ??= {
      executeQuery: (query) => retryWhileBusy(() => inner.executeQuery(query), REQUEST_MAX_WAIT_MS),
      streamQuery: (query, chunkSize) => inner.streamQuery(query, chunkSize),
    }
    return this.#connection
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
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
