import { randomUUID } from 'node:crypto'
import type { Pet } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { temporaryFolder } from '@pet-store/testing'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { afterEach, inject } from 'vitest'
import { openBulkAccess } from '../../persistence/open-persistence.ts'
import { readSettings } from '../../settings/read-settings.ts'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Makes an empty database of each kind; it is gone after the test. */
export const DATABASES = {
  SQLite: async () => `sqlite:${await temporaryFolder()}/${randomUUID()}.db`,
  async PostgreSQL() {
    const { url, drop } = await createDatabase(inject('postgresUrl'))
    cleanUps.push(drop)
    return url
  },
}

export const KINDS = ['SQLite', 'PostgreSQL'] as const

export async function openDatabase(url: string): Promise<BulkAccess> {
  const bulk = (await openBulkAccess({ ...readSettings({}), databaseUrl: url })) as BulkAccess
  cleanUps.push(bulk.close)
  return bulk
}

/** Every pet of a database by ascending id. */
export async function allPets(bulk: Pick<BulkAccess, 'readPets'>): Promise<readonly Pet[]> {
  return bulk.readPets({ limit: 10_000_000 })
}
