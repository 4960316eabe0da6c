import { persistenceUnavailable } from '@pet-store/domain'
import type { OnStatement } from '@pet-store/persistence'
import type { SqlValue, Statement, StatementRunner } from '@pet-store/persistence-mikro-orm'
import { NO_STATEMENTS_HINT, type PostgresDatabase } from '../database/database.ts'
import { isConflict, isLostStatement, isStalePlan, withRetries } from '../database/failures.ts'
import type { DriverStatement, Row, Run } from './pool-statements.ts'

/** How statements are prepared, and who is told of them. */
export type StatementOptions = Pick<PostgresDatabase, 'pooler' | 'onStatement' | 'server'>

/** Runs statements by the given functions, for writing and for reading. */
export function createPostgresStatementRunner(
  options: StatementOptions,
  write: Run,
  read = write,
): StatementRunner {
  return {
    readOne(statement, map) {
      const run = prepare(statement, options)
      const resultOf = ([row]: readonly RowOf<typeof statement>[]) =>
        row === undefined ? undefined : map(row)
      return (values) => run((prepared) => read(prepared, values)).then(resultOf)
    },

    readAll(statement, map) {
      const run = prepare(statement, options)
      const resultOf = (rows: readonly RowOf<typeof statement>[]) => rows.map(map)
      return (values) => run((prepared) => read(prepared, values)).then(resultOf)
    },

    writeOptional(statement) {
      const run = prepare(statement, options)
      return (values, cancellation) =>
        run((prepared) => write(prepared, values, cancellation)).then(([row]) => row)
    },
  }
}

type RowOf<Prepared> = Prepared extends Statement<infer _, infer Result> ? Result : never

/** Runs a statement with values of its own. */
type RunOnce = (statement: DriverStatement) => Promise<readonly Row[]>

/**
 * Returns a function that runs a statement, again if it has failed because of others. Under its
 * name it stays prepared on each connection, which saves the server parsing and planning it each
 * time.
 */
export function prepare<Values extends readonly SqlValue[], Result extends Row>(
  statement: Statement<Values, Result>,
  { pooler, onStatement, server }: StatementOptions,
): (run: RunOnce) => Promise<readonly Result[]> {
  const isNamed = pooler !== 'transaction-unprepared'
  const { name, sql } = statement
  let version = 0
  let current: DriverStatement = { text: sql, ...(isNamed && { name }) }

  /** Under another name each connection prepares it again. */
  function forget(stale: DriverStatement): void {
    if (current !== stale) return
    version += 1
    current = { text: sql, name: `${name}_${version}` }
  }

  async function repeat(run: RunOnce, used: DriverStatement, error: unknown) {
    if (isConflict(error)) return withRetries(() => run(current))
    if (isLostStatement(error)) {
      throw persistenceUnavailable({
        message: `Cannot run a statement: ${NO_STATEMENTS_HINT}.`,
        cause: error,
      })
    }
    if (!isStalePlan(error)) throw error
    forget(used)
    return run(current)
  }

  return (run) => {
    const used = current
    const end = onStatement?.(statement, server)
    const rows = run(used).catch((error: unknown) => repeat(run, used, error))
    // The statement says what its rows are; the driver cannot know.
    return reported(end, rows as Promise<readonly Result[]>)
  }
}

/** Lets `end`, which `onStatement` has returned, know the result of a statement. */
export function reported<Result>(
  end: ReturnType<OnStatement>,
  result: Promise<Result>,
): Promise<Result> {
  if (end !== undefined) result.then(() => end(), end)
  return result
}
