import { hashApiKey } from '@pet-store/access'
import { isLoopback } from '@pet-store/http-express'
import { compose } from '../compose.ts'
import { createLog } from '../observability/log.ts'
import { runServer } from '../server/run-server.ts'
import { maskUrl } from '../settings/database-url.ts'
import { InvalidSettings, readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { DEVELOPMENT_KEY_FILE, readOrCreateDevelopmentKey } from './development-key.ts'

/** Serves this machine only, and prints everything that is needed for a first request. */
export async function start({ brief = false }: { readonly brief?: boolean }): Promise<void> {
  const settings = readSettings()
  if (!isLoopback(settings.host)) {
    throw new InvalidSettings(
      'HOST must be a loopback address such as 127.0.0.1, because start prints a working key, ' +
        `got "${settings.host}"; to serve other machines, use: pnpm pet-store serve`,
    )
  }
  const key = await readOrCreateDevelopmentKey()
  const { log, reports } = await createLog(settings)
  const development = { keyId: 'development', sha256: hashApiKey(key) }
  const staticKeys = [...settings.staticKeys, development]
  const program = await compose({ ...settings, staticKeys }, reports, { developmentKey: key })
  const url = await runServer(program, settings, log)
  if (brief) console.log(`${url}/v1 with the API key of ${DEVELOPMENT_KEY_FILE}`)
  else console.log(welcome(url, key, settings))
}

function welcome(url: string, key: string, { databaseUrl }: Settings): string {
  const address = `${url}/v1`
  // With a line feed after the body, the prompt of the shell is on a line of its own.
  const curl = `curl -w '\\n' -H 'Authorization: Bearer ${key}'`
  const rex = '{"name":"Rex","categoryId":1,"status":"available"}'
  const lines = [
    'The pet store is running. Stop it with Ctrl+C.',
    '',
    `Address    ${address}`,
    `API key    ${key}`,
    `           for development; stored in ${DEVELOPMENT_KEY_FILE}`,
    '           Every user of this machine can read it on these pages:',
    `Pets       ${url}/`,
    `Reference  ${url}/docs`,
    `Database   ${maskUrl(databaseUrl)}`,
  ]
  return `
${box(lines)}

Paste a line to try it:

  ${curl} ${address}/pets

  ${curl} -H 'Content-Type: application/json' -d '${rex}' ${address}/pets

  ${curl} ${address}/pets/1
`
}

/** A box around lines, which a terminal that is too narrow for it would break. */
function box(lines: readonly string[]): string {
  const width = Math.max(...lines.map((line) => line.length))
  if (process.stdout.isTTY && process.stdout.columns < width + 4) return lines.join('\n')
  const edge = '─'.repeat(width + 2)
  return [`┌${edge}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${edge}┘`].join('\n')
}
