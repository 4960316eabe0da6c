import { hashApiKey } from '@pet-store/access'
import { compose } from '../compose.ts'
import { createLog, readinessLog } from '../observability/log.ts'
import { runServer } from '../server/run-server.ts'
import { maskUrl } from '../settings/mask-url.ts'
import { readConfig, type SettingsRule } from '../settings/read-settings.ts'
import { DEVELOPMENT_KEY_FILE, keepDevelopmentKey } from './development-key.ts'

const LOOPBACK = /^(?:localhost|::1|127(?:\.[0-9]{1,3}){3})$/

const expectLoopback: SettingsRule = ({ host }) =>
  host === undefined || LOOPBACK.test(host)
    ? undefined
    : `HOST must be an address of this machine alone, such as 127.0.0.1, since start prints a working key, got "${host}"; to serve others, use: pnpm pet-store serve`

/** Serves on this machine alone, and prints all that a first call needs. */
export async function start(): Promise<void> {
  const config = readConfig([expectLoopback])
  const key = await keepDevelopmentKey()
  const { log, http } = await createLog(config)
  const program = await compose({
    settings: config,
    staticKeys: [{ keyId: 'development', sha256: hashApiKey(key) }],
    log: http,
    onReadiness: readinessLog(log),
    developmentKey: key,
  })
  const url = await runServer(program, config, log)
  console.log(welcome(url, key, maskUrl(config.databaseUrl)))
}

function welcome(url: string, key: string, databaseUrl: string): string {
  const address = `${url}/v1`
  const authorization = `-H 'Authorization: Bearer ${key}'`
  return `
The pet store is open.

  Address   ${address}
  API key   ${key}
            for development; kept in ${DEVELOPMENT_KEY_FILE}
  Reference ${url}/docs
            to read and to try it out in a browser, already authorised
  Pets   ${databaseUrl}

Paste a line to try it:

  curl ${authorization} ${address}/pets

  curl ${authorization} -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1,"status":"available"}' ${address}/pets

  curl ${authorization} ${address}/pets/1

Stop it with Ctrl+C.
`
}
