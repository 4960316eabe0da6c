import type { Logger } from 'pino'
import { compose, type Program } from '../compose.ts'
import { createLog, logLookUpLimit } from '../observability/log.ts'
import { noApiKeys } from '../persistence/no-api-keys.ts'
import { logReadiness } from '../server/readiness.ts'
import { runServer } from '../server/run-server.ts'
import { readSettings } from '../settings/read-settings.ts'

/** Serves with the API keys of the database and of API_KEYS_SHA256. */
export async function serve(): Promise<void> {
  const settings = readSettings()
  const { staticKeys } = settings
  const { log, http, droppedLines } = await createLog(settings)
  const program = await compose({
    settings,
    staticKeys,
    log: http,
    droppedLogLines: droppedLines,
    onReadiness: logReadiness(log),
    onLookUpLimit: logLookUpLimit(log),
  })
  const url = await runServer(program, settings, log)
  log.info({ address: `${url}/v1` }, 'serving')
  // Scripts wait for this line.
  log.flush()
  if (staticKeys.length === 0) await warnWithoutKeys(program, log)
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
