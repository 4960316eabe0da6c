import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PersistenceHarness } from '@pet-store/persistence-testing'
import { openSqliteBulkAccess } from '../bulk-access.ts'
import { openSqlitePersistence } from '../open-persistence.ts'
import { sqliteCapabilities } from '../settings.ts'

/** For `pet-store adapter check --harness`: files in a temporary folder. */
export default async function createHarness(): Promise<PersistenceHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-'))
  let places = 0
  const emptyDatabase = async () => `sqlite:${folder}/${++places}.db`
  return {
    open: openSqlitePersistence,
    openBulkAccess: openSqliteBulkAccess,
    capabilities: sqliteCapabilities,
    emptyDatabase,
    module: new URL('../index.ts', import.meta.url).href,
    exportName: 'openSqlitePersistence',
    nodeOptions: ['--conditions=@pet-store/source'],
    /** The file is moved, as an operator may do by mistake. */
    async interrupt(url) {
      const path = url.replace('sqlite:', '')
      await rename(path, `${path}.moved`)
      return { readsWork: true, end: () => rename(`${path}.moved`, path) }
    },
    close: () => rm(folder, { recursive: true }),
  }
}
