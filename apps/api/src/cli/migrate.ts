import { persistenceAdapter } from '../persistence/open-persistence.ts'
import { readSettings } from '../settings/read-settings.ts'

/** Migrates the database and names what was done; with `check` only names what is pending, with exit code 1. */
export async function migrate({ check = false, json = false }: { check?: boolean; json?: boolean }): Promise<void> {
  const adapter = persistenceAdapter(readSettings())
  const names = check ? await adapter.pending() : await adapter.migrate()
  if (json) console.log(JSON.stringify(check ? { pending: names } : { done: names }, undefined, 2))
  else if (names.length === 0) console.log('The database is up to date.')
  else console.log(`${check ? 'Pending' : 'Done'}: ${names.join(', ')}`)
  if (check && names.length > 0) process.exitCode = 1
}
