import { persistenceUnavailable } from '@pet-store/domain'
import type { OnStatement } from '@pet-store/persistence'
import type { SqlValue, Statement } from '@pet-store/persistence-mikro-orm'
import { NO_STATEMENTS_HINT } from '../database/checks/assert-usable.ts'
import type { PostgresDatabase } from '../database/database.ts'
import { isConflict, isLostStatement, mayBeStalePlan } from '../database/failures.ts'
import { withRetries } from '../database/retries.ts'
import type { Row, StatementText } from './pool-statements.ts'

/** The pooler, which decides whether statements have names, and the listener for statements. */
export type StatementOptions = Pick<PostgresDatabase, 'pooler' | 'onStatement' | 'server'>

/**
 * A statement that is repeated if it fails because of concurrent transactions, or has to be
 * prepared again. It has a name, under which it stays prepared on each connection, so that the
 * server does not have to parse and plan it each time.
 */
export class RepeatableStatement<Values extends readonly SqlValue[], Result extends Row> {
  readonly #statement: Statement<Values, Result>
  readonly #options: StatementOptions
  /** Part of the name: under a new name each connection prepares the statement again. */
  #version = 0
  #current: StatementText

  constructor(statement: Statement<Values, Result>, options: StatementOptions) {
    this.#statement = statement
    this.#options = options
    const { name, sql } = statement
    const isNamed = options.pooler !== 'transaction-unprepared'
    this.#current = { text: sql, ...(isNamed && { name }) }
  }

  /** Runs the statement by `runText`, which adds the values; calls it again for each repetition. */
  run(runText: (text: StatementText) => Promise<readonly Row[]>): Promise<readonly Result[]> {
    const used = this.#current
    const { onStatement, server } = this.#options
    const end = onStatement?.(this.#statement, server)
    const rows = runText(used).catch((error: unknown) => this.#repeat(runText, used, error))
    // The driver does not know the type of the rows; the statement declares it.
    return reported(end, rows as Promise<readonly Result[]>)
  }

  async #repeat(
    runText: (text: StatementText) => Promise<readonly Row[]>,
    used: StatementText,
    error: unknown,
  ): Promise<readonly Row[]> {
    const runAgain = (text: StatementText) =>
      withRetries(() => runText(text)).catch((last: unknown) => this.#repeat(runText, text, last))
    if (isConflict(error)) return runAgain(this.#current)
    const isLost = isLostStatement(error)
    // Repeated without a name, it is prepared for this call only.
    if (used.name !== undefined && (isLost || mayBeStalePlan(error))) {
      const rows = await runAgain({ text: used.text })
      // Only a stale plan needs another name. Every name stays prepared on each connection.
      if (!isLost) this.#rename(used)
      return rows
    }
    if (!isLost) throw error
    throw persistenceUnavailable({
      message: `Cannot run a statement: ${NO_STATEMENTS_HINT}.`,
      cause: error,
    })
  }

  #rename(used: StatementText): void {
    if (this.#current !== used) return
    this.#version += 1
    this.#current = { ...used, name: `${this.#statement.name}_${this.#version}` }
  }
}

/** Calls `end`, which `onStatement` has returned, when a statement has its result. */
export function reported<Result>(
  end: ReturnType<OnStatement>,
  result: Promise<Result>,
): Promise<Result> {
  if (end !== undefined) result.then(() => end(), end)
  return result
}
