import { persistenceAdapter } from '../persistence/open-persistence.ts'
import { readConfig } from '../settings/read-settings.ts'

/** Brings the database up to date, and says what was done; with `check` only says what is to be done. */
export async function migrate({ check = false }: { check?: boolean }): Promise<void> {
  const adapter = persistenceAdapter(readConfig())
  const names = check ? await adapter.pending() : await adapter.migrate()
  if (names.length === 0) console.log('The database is up to date.')
  else console.log(`${check ? 'To be done' : 'Done'}: ${names.join(', ')}`)
  if (check && names.length > 0) process.exitCode = 1
}
