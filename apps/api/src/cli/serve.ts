import type { Logger } from 'pino'
import { compose, type Program } from '../compose.ts'
import { createLog } from '../observability/log.ts'
import { noApiKeys, oneProcessNote } from '../persistence/open-persistence.ts'
import { runServer } from '../server/run-server.ts'
import { databaseKind, maskUrl } from '../settings/database-url.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'

/** Serves with the API keys of the database and of API_KEYS_SHA256. */
export async function serve(): Promise<void> {
  const settings = readSettings()
  const { staticKeys } = settings
  const { log, reports } = await createLog(settings)
  const program = await compose(settings, reports)
  const url = await runServer(program, settings, log)
  log.info({ address: `${url}/v1`, ...descriptionOf(settings) }, 'serving')
  // Scripts wait for this line.
  log.flush()
  const note = await oneProcessNote(settings)
  if (note !== undefined) log.warn(note)
  // The program serves already: a database that is unavailable now must not end it.
  if (staticKeys.length === 0) await warnWithoutKeys(program, log).catch((err) => log.warn({ err }, UNKNOWN_KEYS))
}

const UNKNOWN_KEYS = 'whether there is an API key could not be read'

/** What an operator wants to see first: a mistyped variable shows as the wrong database. */
function descriptionOf({ databaseUrl, persistenceModule }: Settings) {
  const adapter = persistenceModule || databaseKind(databaseUrl)
  return { adapter, database: maskUrl(databaseUrl) }
}

async function warnWithoutKeys({ persistence }: Program, log: Logger): Promise<void> {
  const keys = await persistence.apiKeys.list()
  if (keys.length > 0) return
  const remedy =
    persistence.apiKeys === noApiKeys
      ? 'the adapter stores none, so put their hashes into API_KEYS_SHA256'
      : 'create one with: pet-store keys create --name NAME'
  log.warn(`there is no API key yet; ${remedy}`)
}
