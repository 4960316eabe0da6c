import { databaseKind, maskUrl } from '../settings/database-url.ts'
import { InvalidSettings, readSettings } from '../settings/read-settings.ts'
import { type CopyReport, copyDatabase } from '../transfer/copy.ts'
import { hasBulkAccess, withTransfer } from '../transfer/open-transfer.ts'
import { amount, createProgress, interruptible } from '../transfer/progress.ts'

/** Copies a database into another one, and compares both. */
export async function copyCommand({
  from,
  to,
  json = false,
}: {
  from: string
  to: string
  json?: boolean
}): Promise<void> {
  if (from === to) throw new InvalidSettings(['--from and --to name the same database.'])
  const [sourceSettings, targetSettings] = [settingsOf(from), settingsOf(to)]
  const [isWholeSource, isWholeTarget] = await Promise.all([sourceSettings, targetSettings].map(hasBulkAccess))
  // Before anything is opened: a missing target would be created.
  if (!isWholeTarget) console.error('The target has no bulk access: only pets are copied, and they get new ids.')
  else if (!isWholeSource) console.error('The source has no bulk access: only pets are copied.')
  const report = await withTransfer(sourceSettings, { readOnly: true }, (source) =>
    withTransfer(targetSettings, {}, (target) =>
      interruptible(
        () => `Stopped. ${isWholeTarget ? 'Run the same command to continue.' : 'The target holds the first pets.'}`,
        () => copyDatabase(source, target, createProgress()),
      ),
    ),
  )
  if (json) console.log(JSON.stringify({ from: maskUrl(from), to: maskUrl(to), ...report }))
  else console.log(sentence(maskUrl(from), maskUrl(to), report))
}

function sentence(from: string, to: string, { pets, apiKeys, checksum }: CopyReport): string {
  const what = apiKeys === undefined ? amount(pets, 'pet') : `${amount(pets, 'pet')} and ${amount(apiKeys, 'API key')}`
  if (checksum === undefined) return `Copied ${what} from ${from} to ${to}.`
  return `${from} and ${to} both hold ${what}. SHA-256 of the pets: ${checksum}`
}

/** A URL that is neither SQLite nor PostgreSQL is opened by PERSISTENCE_MODULE. */
function settingsOf(databaseUrl: string) {
  const settings = readSettings()
  const persistenceModule = databaseKind(databaseUrl) === undefined ? settings.persistenceModule : ''
  return { ...settings, databaseUrl, persistenceModule, databaseReplicaUrls: [], migrateOnStart: true }
}
