import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { afterAll, beforeAll, inject } from 'vitest'

/**
 * An empty database for the tests of a file, or of a group: created before the first and dropped
 * after the last.
 */
export function useDatabase(): { readonly url: string } {
  const database = { url: '' }
  let drop = async (): Promise<void> => {}
  beforeAll(async () => {
    const created = await createDatabase(inject('postgresUrl'))
    database.url = created.url
    drop = created.drop
  })
  afterAll(() => drop())
  return database
}
