import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { expect, inject, it, onTestFinished } from 'vitest'
import { openAdapter } from './providers/open-adapter.ts'
import { migrate, openProgramOver } from './providers/open-program.ts'
import type { OpenProvider } from './providers/open-provider.ts'
import { PACTS, readPactFiles } from './sources/pact-files.ts'
import { verifyPacts } from './verification/verify-pacts.ts'

/** Each interaction gets a copy of one migrated database. */
async function openProgramOverPostgres(): Promise<OpenProvider> {
  const original = await createDatabase(inject('postgresUrl'))
  onTestFinished(() => original.drop())
  await migrate(original.url)
  return openProgramOver(() => createDatabase(inject('postgresUrl'), original))
}

// On SQLite they are verified by the command, whose test is commands/verify.pact.test.ts.
const PROVIDERS: readonly (readonly [string, () => Promise<OpenProvider>])[] = [
  ['the HTTP adapter over the memory repositories', async () => openAdapter],
  ['the program on PostgreSQL', openProgramOverPostgres],
]

it.each(PROVIDERS)('%s fulfils every contract in pacts/', async (_name, provider) => {
  const pacts = readPactFiles([PACTS])
  const source = { pactUrls: pacts.map(({ path }) => path) }
  const { holds, interactions, report } = await verifyPacts(source, await provider())
  expect(holds, report).toBe(true)
  expect(interactions).toHaveLength(pacts.reduce((sum, pact) => sum + pact.interactions, 0))
})
