import { copyFile } from 'node:fs/promises'
import { persistenceAdapter, readSettings } from '@pet-store/api'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { afterAll, expect, inject, it } from 'vitest'
import { openAdapter } from './providers/open-adapter.ts'
import { type ContractDatabase, createTemporarySqlite, openProgramOver } from './providers/open-program.ts'
import type { OpenProvider } from './providers/open-provider.ts'
import { PACTS, readPactFiles } from './sources/pact-files.ts'
import { verifyPacts } from './verification/verify-pacts.ts'

const createOnServer = (original?: ContractDatabase) => createDatabase(inject('postgresUrl'), original)

/** A migration takes most of the time of an interaction, so one database is migrated, and each interaction gets a copy. */
const DATABASES = {
  async SQLite() {
    const original = await migrated(await createTemporarySqlite())
    return async () => {
      const copy = await createTemporarySqlite()
      await copyFile(pathOf(original), pathOf(copy))
      return copy
    }
  },
  async PostgreSQL() {
    const original = await migrated(await createOnServer())
    return () => createOnServer(original)
  },
}

const originals: ContractDatabase[] = []
afterAll(async () => {
  for (const { drop } of originals) await drop()
})

async function migrated(database: ContractDatabase): Promise<ContractDatabase> {
  originals.push(database)
  const adapter = persistenceAdapter({ ...readSettings([], {}), databaseUrl: database.url })
  await (await adapter.openBulkAccess({ migrate: true }))?.close()
  return database
}

const pathOf = ({ url }: ContractDatabase) => url.slice('sqlite:'.length)

const PROVIDERS: readonly (readonly [string, () => Promise<OpenProvider>])[] = [
  ['the HTTP adapter over the memory repositories', async () => openAdapter],
  ...Object.entries(DATABASES).map(
    ([name, copies]) => [`the program on ${name}`, async () => openProgramOver(await copies())] as const,
  ),
]

it.each(PROVIDERS)('%s fulfils every contract in pacts/', async (_name, provider) => {
  const pacts = readPactFiles([PACTS])
  const source = { pactUrls: pacts.map(({ path }) => path) }
  const { holds, interactions, report } = await verifyPacts(source, await provider())
  expect(holds, report).toBe(true)
  expect(interactions).toHaveLength(pacts.reduce((sum, pact) => sum + pact.interactions, 0))
})
