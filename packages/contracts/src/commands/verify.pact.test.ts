import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../providers/open-provider.ts'
import { PACTS, readPactFiles } from '../sources/pact-files.ts'
import { startFakeBroker } from '../testing/fake-broker.test-support.ts'

const VERSION = { GIT_COMMIT: '0123456789abcdef0123456789abcdef01234567', GIT_BRANCH: 'main' }

/** Runs the command as `pnpm pact:verify` does. */
async function verify(environment: Record<string, string>, ...args: readonly string[]) {
  const file = join(import.meta.dirname, 'verify.ts')
  const { PACT_BROKER_BASE_URL: _url, PACT_BROKER_TOKEN: _token, ...rest } = process.env
  const child = spawn(process.execPath, ['--conditions=@pet-store/source', file, ...args], {
    env: { ...rest, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code: code as number | null, output: output + errors }
}

it.each([
  ['selects', () => ({})],
  ['has at the URL of a webhook', (url: string) => ({ PACT_URL: `${url}/pacts/kiosk` })],
])(
  'pact:verify verifies the contracts that a broker %s, and reports the results',
  async (_what, more) => {
    const broker = await startFakeBroker('a-token')
    const environment = {
      PACT_BROKER_BASE_URL: broker.url,
      PACT_BROKER_TOKEN: 'a-token',
      ...VERSION,
    }
    const { code, output } = await verify({ ...environment, ...more(broker.url) })
    expect(code, output).toBe(0)
    const results = broker.requests.filter(({ path }) => path === '/results')
    expect(results).toMatchObject([
      { body: { success: true, providerApplicationVersion: VERSION.GIT_COMMIT } },
    ])
    const version = `/pacticipants/pet-store/branches/main/versions/${VERSION.GIT_COMMIT}`
    expect(broker.requests.map(({ path }) => path)).toContain(version)
  },
)

it.each([
  ['the token', 'another', {}, '401'],
  ['the results', 'a-token', { acceptsResults: false }, 'of verification results failed'],
])('pact:verify fails when the broker rejects %s', async (_what, token, options, reason) => {
  const { url } = await startFakeBroker('a-token', options)
  const { code, output } = await verify({
    PACT_BROKER_BASE_URL: url,
    PACT_BROKER_TOKEN: token,
    ...VERSION,
  })
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(reason) })
})

it('pact:verify verifies the committed contracts without a broker, and says so', async () => {
  const { code, output } = await verify({})
  expect(code, output).toBe(0)
  expect(output).toContain('No results are reported: PACT_BROKER_BASE_URL is not set')
  for (const { consumer } of readPactFiles([PACTS])) expect(output).toContain(`${consumer}: `)
  expect(output).toContain('The contracts hold.')
})

it('pact:verify verifies a contract at a URL, without the token of another broker', async () => {
  const authorizations: unknown[] = []
  const server = createServer(({ headers }, res) => {
    authorizations.push(headers.authorization)
    res.end(readFileSync(join(PACTS, 'kiosk-pet-store.json')))
  })
  const origin = await listen(server)
  onTestFinished(() => void server.close())
  // Its URL begins like the broker's.
  const environment = {
    PACT_BROKER_BASE_URL: origin.slice(0, -1),
    PACT_BROKER_TOKEN: 'a-token',
    ...VERSION,
  }
  const { code, output } = await verify(environment, '--pact', `${origin}/kiosk.json`)
  expect(authorizations).toEqual([undefined])
  expect(code, output).toBe(0)
  expect(output).toContain('The contracts hold.')
})

it.each([
  { args: ['--pact', 'nowhere'], says: /There is no .*nowhere\./ },
  {
    args: ['--pact', 'package.json'],
    says: /package\.json: the provider is undefined instead of "pet-store"\./,
  },
  { args: ['--pcat', 'x'], says: /--pcat/ },
])('pact:verify exits with 2 for the arguments $args', async ({ args, says }) => {
  const { code, output } = await verify({ INIT_CWD: join(import.meta.dirname, '../..') }, ...args)
  expect(code).toBe(2)
  expect(output).toMatch(says)
})
