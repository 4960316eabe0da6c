import { statSync } from 'node:fs'
import { amount } from '../messages/amount.ts'
import { withBulkAccess } from '../persistence/open-persistence.ts'
import { persistenceAdapter } from '../persistence/persistence-adapter.ts'
import { databaseKind, maskUrl } from '../settings/database-url.ts'
import { InvalidSettings, readSettings } from '../settings/read-settings.ts'
import { copyDatabase, SAME_DATABASE } from '../transfer/copy.ts'
import { interruptible } from './interruptible.ts'

/** Copies a database into another one, and compares both. */
export async function copyCommand(given: {
  from: string
  to: string
  json?: boolean
}): Promise<void> {
  if (given.from === given.to || (await isSameFile(given.from, given.to)))
    throw new InvalidSettings(SAME_DATABASE)
  const report = await withBulkAccess(settingsOf(given.from), { mode: 'read' }, (source) =>
    withBulkAccess(settingsOf(given.to), {}, (target) =>
      interruptible(
        () => 'Stopped. Run the same command to continue.',
        () => copyDatabase(source, target),
      ),
    ),
  )
  const from = maskUrl(given.from)
  const to = maskUrl(given.to)
  if (given.json) return console.log(JSON.stringify({ from, to, ...report }))
  const what = `${amount(report.pets, 'pet')} and ${amount(report.apiKeys, 'API key')}`
  console.log(`${from} and ${to} both hold ${what}. SHA-256 of the pets: ${report.checksum}`)
}

/** Whether two URLs name the same file, even by different paths or through links. */
async function isSameFile(...urls: readonly [string, string]): Promise<boolean> {
  const adapters = await Promise.all(urls.map((url) => persistenceAdapter(settingsOf(url))))
  const [one, other] = adapters.map(({ file }) =>
    file === undefined ? undefined : statSync(file, { bigint: true, throwIfNoEntry: false }),
  )
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino
}

/**
 * The settings for one of the two databases. A URL that is neither SQLite nor PostgreSQL is opened
 * by the adapter of PERSISTENCE_MODULE.
 */
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
