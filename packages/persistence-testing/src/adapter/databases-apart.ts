import { membersOf } from '../harness/harness-members.ts'
import type { PersistenceHarness } from '../harness/persistence-harness.ts'

/**
 * The same harness, whose empty databases are none that it has made beside another one: one that
 * numbers its databases makes `db10` beside `db1`, and comes to `db10` later.
 */
export function withDatabasesApart(harness: PersistenceHarness): PersistenceHarness {
  const members = membersOf(harness) as PersistenceHarness
  const { emptyDatabase, databaseBeside } = members
  if (databaseBeside === undefined) return members
  const made = new Set<string>()
  return {
    ...members,
    async databaseBeside(url) {
      const beside = await databaseBeside(url)
      made.add(beside)
      return beside
    },
    async emptyDatabase(options) {
      const url = await emptyDatabase(options)
      // One that returns it twice has emptied it.
      return made.delete(url) ? emptyDatabase(options) : url
    },
  }
}
