import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { expect, inject, it } from 'vitest'
import { openProgramOver } from './open-program.ts'
import { PACTS, readPactFiles } from './pact-files.ts'
import { createTemporarySqlite } from './temporary-sqlite.ts'
import { verifyPacts } from './verify-pacts.ts'

const DATABASES = {
  SQLite: createTemporarySqlite,
  PostgreSQL: () => createDatabase(inject('postgresUrl')),
}

it.each(Object.entries(DATABASES))(
  'the whole program over %s keeps every committed contract',
  { timeout: 120_000 },
  async (_name, create) => {
    const pacts = readPactFiles([PACTS])
    const source = { pactUrls: pacts.map(({ path }) => path) }
    const { holds, interactions, report } = await verifyPacts(source, openProgramOver(create))
    expect(holds, report).toBe(true)
    expect(interactions).toHaveLength(pacts.reduce((sum, pact) => sum + pact.interactions, 0))
  },
)
