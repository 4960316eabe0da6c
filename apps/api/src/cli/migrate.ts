import type { MigrationState } from '@pet-store/persistence'
import { persistenceAdapter } from '../persistence/persistence-adapter.ts'
import { maskUrl } from '../settings/database-url.ts'
import { readSettings } from '../settings/read-settings.ts'

/**
 * Migrates the database and prints the names of the migrations; with `check` only prints what
 * migrating would do.
 */
export async function migrate({
  check = false,
  json = false,
}: {
  check?: boolean
  json?: boolean
}): Promise<void> {
  const settings = readSettings()
  const adapter = await persistenceAdapter(settings)
  if (check) return report(await adapter.migrations(), maskUrl(settings.databaseUrl), json)
  const done = await adapter.migrate()
  if (json) console.log(JSON.stringify({ done }, undefined, 2))
  else console.log(done.length === 0 ? 'The database is up to date.' : `Done: ${done.join(', ')}`)
}

function report(state: MigrationState, url: string, json: boolean): void {
  const { database, pending, newer, obstacle } = state
  // The exit code is also 1 if the database cannot be read, or the adapter rejects.
  if (pending.length > 0) process.exitCode = database === 'migrated' ? 1 : 3
  if (json) {
    console.log(JSON.stringify(state, undefined, 2))
    return
  }
  if (database === 'missing') console.log(`There is no database ${url}.`)
  if (database === 'empty') console.log(`The database ${url} is empty: it was never migrated.`)
  console.log(pending.length > 0 ? `Pending: ${pending.join(', ')}` : 'The database is up to date.')
  if (obstacle !== undefined) console.log(`They cannot run: ${obstacle}.`)
  if (newer.length > 0) console.log(`Migrations of a newer version: ${newer.join(', ')}`)
}
