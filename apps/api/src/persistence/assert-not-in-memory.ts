import { InvalidSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'

/** Rejects a database that ends with the command, together with all that the command stores. */
export function assertNotInMemory({ databaseUrl, persistenceModule }: Settings): void {
  if (persistenceModule !== '' || databaseUrl !== 'sqlite::memory:') return
  throw new InvalidSettings(
    'The database must be a file, not sqlite::memory:, which is lost when this command ends',
  )
}
