import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PersistenceHarness } from '@pet-store/persistence-testing'
import openNdjsonPersistence, { capabilities } from '../src/ndjson-persistence.ts'

/**
 * What the contract needs of this adapter: for the tests, and for
 * `pet-store-adapter check --harness test/harness.ts`.
 */
export default async function createHarness(): Promise<PersistenceHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'ndjson-'))
  let databases = 0
  return {
    open: openNdjsonPersistence,
    capabilities,
    emptyDatabase: async () => join(folder, `${++databases}.ndjson`),
    // Each harness has a folder of its own.
    concurrent: true,
    databaseBeside: async (url) => `${url}0`,
    // Another process imports it, to be killed.
    module: new URL('../src/ndjson-persistence.ts', import.meta.url).href,
    // The file is moved, as an operator may do by mistake.
    async interrupt(url) {
      await rename(url, `${url}.moved`)
      return { end: () => rename(`${url}.moved`, url) }
    },
    close: () => rm(folder, { recursive: true }),
  }
}
