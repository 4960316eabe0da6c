import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { expect, inject, it, onTestFinished } from 'vitest'
import { PACTS, readPactFiles } from './sources/pact-files.ts'
import { startFakeBroker } from './testing/fake-broker.test-support.ts'

const VERSION = { GIT_COMMIT: '0123456789abcdef0123456789abcdef01234567', GIT_BRANCH: 'main' }

/** Runs a command as `pnpm pact:…` does. */
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

const CONSUMER = 'pet-store-client'

it('publishes the contract of the client with commit and branch, and reports the results', async () => {
  const broker = await startFakeBroker('a-token')
  const environment = { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: 'a-token', ...VERSION }

  const published = await run('publish', environment)
  expect(published, published.output).toMatchObject({ code: 0 })
  const publications = broker.requests.filter(({ path }) => path === '/contracts/publish')
  expect(publications.map(({ body }) => body)).toMatchObject([
    {
      pacticipantName: CONSUMER,
      pacticipantVersionNumber: VERSION.GIT_COMMIT,
      branch: 'main',
      contracts: [{ consumerName: CONSUMER, providerName: 'pet-store', specification: 'pact' }],
    },
  ])

  const verified = await run('verify', environment)
  expect(verified, verified.output).toMatchObject({ code: 0 })
  const results = broker.requests.filter(({ path }) => path.startsWith('/results/'))
  expect(results).toMatchObject([
    {
      path: `/results/pacts/${CONSUMER}`,
      body: { success: true, providerApplicationVersion: VERSION.GIT_COMMIT },
    },
  ])
  expect(broker.requests.map(({ path }) => path)).toContain(
    `/pacticipants/pet-store/branches/main/versions/${VERSION.GIT_COMMIT}`,
  )
})

it('fails when the broker rejects the token, or the results', async () => {
  const { url } = await startFakeBroker('a-token', { acceptsResults: false })
  const rejected = await run('publish', { PACT_BROKER_BASE_URL: url, PACT_BROKER_TOKEN: 'another', ...VERSION })
  expect(rejected).toEqual({ code: 1, output: 'The broker responded 401: {"error":"Unauthorized"}\n' })
  const environment = { PACT_BROKER_BASE_URL: url, PACT_BROKER_TOKEN: 'a-token', ...VERSION }
  expect(await run('publish', environment)).toMatchObject({ code: 0 })
  const { code, output } = await run('verify', environment)
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('of verification results failed') })
})

it('publishes nothing and verifies the committed contracts without a broker, and says so', async () => {
  const published = await run('publish', {})
  expect(published).toEqual({ code: 0, output: expect.stringContaining('not set: nothing is published.') })
  const { code, output } = await run('verify', {})
  expect(code, output).toBe(0)
  expect(output).toContain('No results are reported: PACT_BROKER_BASE_URL is not set')
  for (const { consumer } of readPactFiles([PACTS])) expect(output).toContain(`${consumer}: `)
  expect(output).toContain('The contracts hold.')
})

it('verifies the contract at the URL of a webhook, and reports its result', async () => {
  const broker = await startFakeBroker('a-token')
  const environment = { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: 'a-token', ...VERSION }
  expect(await run('publish', environment)).toMatchObject({ code: 0 })

  const url = `${broker.url}/pacts/pet-store-client`
  const { code, output } = await run('verify', { ...environment, PACT_URL: url })
  expect(code, output).toBe(0)
  const results = broker.requests.filter(({ path }) => path.startsWith('/results/'))
  expect(results.map(({ path }) => path)).toEqual(['/results/pacts/pet-store-client'])
})

it('verifies a contract at a URL on PostgreSQL, without the token of another broker', async () => {
  const authorizations: unknown[] = []
  const server = createServer(({ headers }, res) => {
    authorizations.push(headers.authorization)
    res.end(readFileSync(join(PACTS, 'kiosk-pet-store.json')))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kiosk.json`
  // Its URL begins like that of the broker.
  const environment = {
    PACT_BROKER_BASE_URL: new URL(url).origin.slice(0, -1),
    PACT_BROKER_TOKEN: 'a-token',
    ...VERSION,
  }
  const { code, output } = await run('verify', environment, '--pact', url, '--database', inject('postgresUrl'))
  expect(authorizations).toEqual([undefined])
  expect(code, output).toBe(0)
  expect(output).toContain('The contracts hold.')
})

it.each([
  { args: ['--pact', 'nowhere'], says: /There is no .*nowhere\./ },
  { args: ['--pact', 'package.json'], says: /package\.json: the provider is undefined instead of "pet-store"\./ },
  { args: ['--pcat', 'x'], says: /--pcat/ },
  { args: ['--database', 'mysql://localhost'], says: /--database must be the URL of a PostgreSQL server/ },
])('exits with 2 for the arguments $args', async ({ args, says }) => {
  const { code, output } = await run('verify', { INIT_CWD: join(import.meta.dirname, '..') }, ...args)
  expect(code).toBe(2)
  expect(output).toMatch(says)
})
