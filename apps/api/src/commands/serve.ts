import { createStaticKeys } from '@pet-store/access'
import { compose } from '../compose.ts'
import { readConfig, type SettingsRule } from '../config.ts'
import { createLog, httpLog } from '../log.ts'
import { runServer } from '../run-server.ts'

const expectKeys: SettingsRule = ({ staticKeys }) =>
  staticKeys?.length === 0 ? 'API_KEYS_SHA256 must name at least one key, or nobody could use the service' : undefined

/** Serves with the keys of the settings. */
export async function serve(): Promise<void> {
  const config = readConfig([expectKeys])
  const log = createLog(config.logLevel)
  const program = await compose({
    settings: config,
    tokenCheck: createStaticKeys(config.staticKeys),
    log: httpLog(log),
  })
  const url = await runServer(program, config.host, config.port, log)
  log.info({ address: `${url}/v1` }, 'serving')
}
