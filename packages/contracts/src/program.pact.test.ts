import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { expect, inject, it } from 'vitest'
import { createTemporarySqlite, openProgramOver } from './providers/open-program.ts'
import { PACTS, readPactFiles } from './sources/pact-files.ts'
import { verifyPacts } from './verification/verify-pacts.ts'

const DATABASES = {
  SQLite: createTemporarySqlite,
  PostgreSQL: () => createDatabase(inject('postgresUrl')),
}

it.each(Object.entries(DATABASES))('the program on %s fulfils every contract in pacts/', async (_name, create) => {
  const pacts = readPactFiles([PACTS])
  const source = { pactUrls: pacts.map(({ path }) => path) }
  const { holds, interactions, report } = await verifyPacts(source, openProgramOver(create))
  expect(holds, report).toBe(true)
  expect(interactions).toHaveLength(pacts.reduce((sum, pact) => sum + pact.interactions, 0))
})
