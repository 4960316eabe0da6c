import { withBulkAccess } from '../persistence/open-persistence.ts'
import { databaseKind, maskUrl } from '../settings/database-url.ts'
import { InvalidSettings, readSettings } from '../settings/read-settings.ts'
import { copyDatabase } from '../transfer/copy.ts'
import { amount, interruptible } from '../transfer/progress.ts'

/** Copies a database into another one, and compares both. */
export async function copyCommand(given: {
  from: string
  to: string
  json?: boolean
}): Promise<void> {
  if (given.from === given.to) throw new InvalidSettings('--from and --to name the same database.')
  const report = await withBulkAccess(settingsOf(given.from), { mode: 'read' }, (source) =>
    withBulkAccess(settingsOf(given.to), {}, (target) =>
      interruptible(
        () => 'Stopped. Run the same command to continue.',
        () => copyDatabase(source, target),
      ),
    ),
  )
  const [from, to] = [maskUrl(given.from), maskUrl(given.to)]
  if (given.json) return console.log(JSON.stringify({ from, to, ...report }))
  const what = `${amount(report.pets, 'pet')} and ${amount(report.apiKeys, 'API key')}`
  console.log(`${from} and ${to} both hold ${what}. SHA-256 of the pets: ${report.checksum}`)
}

/** A URL that is neither SQLite nor PostgreSQL is opened by PERSISTENCE_MODULE. */
function settingsOf(databaseUrl: string) {
  const settings = readSettings()
  const persistenceModule =
    databaseKind(databaseUrl) === undefined ? settings.persistenceModule : ''
  return {
    ...settings,
    databaseUrl,
    persistenceModule,
    databaseReplicaUrls: [],
    migrateOnStart: true,
  }
}
