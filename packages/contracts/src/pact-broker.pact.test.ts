import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { startFakeBroker } from './pact-broker.test-support.ts'
import { PACTS, readPactFiles } from './pact-files.ts'

const VERSION = { GIT_COMMIT: '0123456789abcdef0123456789abcdef01234567', GIT_BRANCH: 'main' }

/** Runs one of the commands as `pnpm pact:…` does. */
async function run(command: 'publish' | 'verify', environment: Record<string, string>, ...args: readonly string[]) {
  const file = join(import.meta.dirname, 'commands', `${command}.ts`)
  const { PACT_BROKER_BASE_URL: _url, PACT_BROKER_TOKEN: _token, ...rest } = process.env
  const child = spawn(process.execPath, ['--conditions=@pet-store/source', file, ...args], {
    env: { ...rest, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number | null, output: output + errors }
}

const consumers = readPactFiles([PACTS]).map(({ consumer }) => consumer)

it('publishes every contract with commit and branch, and reports what comes of each', { timeout: 60_000 }, async () => {
  const broker = await startFakeBroker('a-token')
  const environment = { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: 'a-token', ...VERSION }

  const published = await run('publish', environment)
  expect(published, published.output).toMatchObject({ code: 0 })
  const publications = broker.requests.filter(({ path }) => path === '/contracts/publish')
  expect(publications.map(({ body }) => body)).toMatchObject(
    consumers.map((consumer) => ({
      pacticipantName: consumer,
      pacticipantVersionNumber: VERSION.GIT_COMMIT,
      branch: 'main',
      contracts: [{ consumerName: consumer, providerName: 'pet-store', specification: 'pact' }],
    })),
  )

  const verified = await run('verify', environment)
  expect(verified, verified.output).toMatchObject({ code: 0 })
  const results = broker.requests.filter(({ path }) => path.startsWith('/results/'))
  expect(results.map(({ path }) => path).sort()).toEqual(consumers.map((consumer) => `/results/pacts/${consumer}`))
  for (const { body } of results) {
    expect(body).toMatchObject({ success: true, providerApplicationVersion: VERSION.GIT_COMMIT })
  }
  expect(broker.requests.map(({ path }) => path)).toContain(
    `/pacticipants/pet-store/branches/main/versions/${VERSION.GIT_COMMIT}`,
  )
})

it('fails where the broker refuses the token', async () => {
  const { url } = await startFakeBroker('a-token')
  const { code, output } = await run('publish', { PACT_BROKER_BASE_URL: url, PACT_BROKER_TOKEN: 'another', ...VERSION })
  expect({ code, output }).toEqual({ code: 1, output: 'The broker answered 401: {"error":"Unauthorized"}\n' })
})

it('fails where the broker does not take the results', { timeout: 60_000 }, async () => {
  const { url } = await startFakeBroker('a-token', { takesResults: false })
  const environment = { PACT_BROKER_BASE_URL: url, PACT_BROKER_TOKEN: 'a-token', ...VERSION }
  expect(await run('publish', environment)).toMatchObject({ code: 0 })
  const { code, output } = await run('verify', environment)
  expect(code).toBe(1)
  expect(output).toContain('Publishing of verification results failed')
})

it('says that nothing is published without a broker', async () => {
  const { code, output } = await run('publish', {})
  expect(code).toBe(0)
  expect(output).toContain('PACT_BROKER_BASE_URL is not set: nothing is published.')
})

it('verifies the committed files without a broker, and says so', { timeout: 60_000 }, async () => {
  const { code, output } = await run('verify', {})
  expect(code, output).toBe(0)
  expect(output).toContain('PACT_BROKER_BASE_URL is not set: contracts of files, and no results are reported.')
  for (const consumer of consumers) expect(output).toContain(`${consumer}: `)
  expect(output).toContain('The contracts hold.')
})

it.each([
  { args: ['--pact', 'nowhere'], says: /There is no .*nowhere\./ },
  { args: ['--pact', 'package.json'], says: /package\.json is a contract with undefined; ours are with "pet-store"\./ },
  { args: ['--pcat', 'x'], says: /--pcat/ },
])('ends with 2 for wrong use: $args', async ({ args, says }) => {
  const { code, output } = await run('verify', { INIT_CWD: join(import.meta.dirname, '..') }, ...args)
  expect(code).toBe(2)
  expect(output).toMatch(says)
})
