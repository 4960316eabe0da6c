import type { BulkAccess } from '@pet-store/persistence'
import { openBulk } from '../persistence/open-persistence.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Settings, SettingsRule } from '../settings/settings.ts'

const expectOurDatabase: SettingsRule = ({ persistenceModule = '' }) =>
  persistenceModule === ''
    ? undefined
    : 'PERSISTENCE_MODULE must be empty: many pets at once are stored and read in SQLite and PostgreSQL only'

/** Does something with many pets at once in the database of the settings, which may be brought up to date if these say so too. */
export async function withBulk<Result>(
  mayMigrate: (settings: Settings) => boolean,
  work: (bulk: BulkAccess) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings([expectOurDatabase])
  const bulk = await openBulk(settings.databaseUrl, mayMigrate(settings), settings)
  try {
    return await work(bulk)
  } finally {
    await bulk.close()
  }
}
