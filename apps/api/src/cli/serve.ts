import type { Logger } from 'pino'
import { compose, type Program } from '../compose.ts'
import { createLog } from '../observability/log.ts'
import { runServer } from '../server/run-server.ts'
import { databaseKind, maskUrl } from '../settings/database-url.ts'
import { readSettings } from '../settings/read-settings.ts'

/** Serves with the API keys of the database and of API_KEYS_SHA256. */
export async function serve(): Promise<void> {
  const settings = readSettings()
  const { databaseUrl, persistenceModule, staticKeys } = settings
  const { log, reports } = await createLog(settings)
  const program = await compose(settings, reports)
  const url = await runServer(program, settings, log)
  // The log line names the database, so that a mistyped variable is noticed.
  const adapter = persistenceModule || databaseKind(databaseUrl)
  log.info({ address: `${url}/v1`, adapter, database: maskUrl(databaseUrl) }, 'serving')
  // Written at once, because scripts wait for this line.
  log.flush()
  // Errors must not end the program, which serves already.
  if (staticKeys.length === 0) await warnWithoutKeys(program, log)
}

async function warnWithoutKeys({ persistence }: Program, log: Logger): Promise<void> {
  try {
    const keys = await persistence.apiKeys.list()
    if (keys.length === 0)
      log.warn(
        'there is no API key yet; create one with: pet-store keys create --name NAME, ' +
          'or set API_KEYS_SHA256',
      )
  } catch (err) {
    log.warn({ err }, 'the API keys could not be read')
  }
}
