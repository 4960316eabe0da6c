import type { StatementRunner } from '@pet-store/persistence-mikro-orm'
import type { RunStatement } from './pool-statements.ts'
import { RepeatableStatement, type StatementOptions } from './repeatable-statement.ts'

/** Makes a runner that runs statements by `read`. */
export function createPostgresStatementRunner(
  options: StatementOptions,
  read: RunStatement,
): StatementRunner {
  return {
    readOne(statement, map) {
      const repeatable = new RepeatableStatement(statement, options)
      return (values) =>
        repeatable.run((text) => read(text, values)).then(([row]) => row && map(row))
    },

    readAll(statement, map) {
      const repeatable = new RepeatableStatement(statement, options)
      return (values) => repeatable.run((text) => read(text, values)).then((rows) => rows.map(map))
    },
  }
}
