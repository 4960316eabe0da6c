import type { Logger } from 'pino'
import { compose, type Program } from '../compose.ts'
import { createLog, lookUpLimitLog, readinessLog } from '../observability/log.ts'
import { noApiKeys } from '../persistence/no-api-keys.ts'
import { runServer } from '../server/run-server.ts'
import { readConfig } from '../settings/read-settings.ts'

/** Serves with the API keys of the database, and those of the settings. */
export async function serve(): Promise<void> {
  const config = readConfig()
  const { log, http } = await createLog(config)
  const { staticKeys } = config
  const program = await compose({
    settings: config,
    staticKeys,
    log: http,
    onReadiness: readinessLog(log),
    onLookUpLimit: lookUpLimitLog(log),
  })
  const url = await runServer(program, config, log)
  log.info({ address: `${url}/v1` }, 'serving')
  // Whoever waits for this line waits no longer than needed.
  log.flush()
  if (staticKeys.length === 0) await warnWithoutKeys(program, log)
}

async function warnWithoutKeys({ storage }: Program, log: Logger): Promise<void> {
  const keys = await storage.apiKeys.list()
  if (keys.length > 0) return
  const wayOut =
    storage.apiKeys === noApiKeys
      ? 'the storage keeps none, so give their hashes in API_KEYS_SHA256'
      : 'make one with: pet-store keys create --name NAME'
  log.warn(`there is no API key yet; ${wayOut}`)
}
