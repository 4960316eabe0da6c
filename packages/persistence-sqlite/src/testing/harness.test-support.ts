import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PersistenceHarness } from '@pet-store/persistence-testing'
import Database from 'better-sqlite3'
import { openSqliteBulkAccess } from '../bulk-access.ts'
import { sqliteCapabilities } from '../database/settings.ts'
import { openSqlitePersistence } from '../open-persistence.ts'

/** For `pet-store-adapter check --harness`: files in a temporary folder. */
export default async function createHarness(): Promise<PersistenceHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-'))
  let files = 0
  const emptyDatabase = async () => `sqlite:${folder}/${++files}.db`
  return {
    open: openSqlitePersistence,
    openBulkAccess: openSqliteBulkAccess,
    capabilities: sqliteCapabilities,
    emptyDatabase,
    concurrent: true,
    databaseBeside: async (url) => `${url}0`,
    module: new URL('../index.ts', import.meta.url).href,
    exportName: 'openSqlitePersistence',
    bulkExportName: 'openSqliteBulkAccess',
    nodeOptions: ['--conditions=@pet-store/source'],
    async deletePet(url, id) {
      const other = new Database(url.replace('sqlite:', ''))
      other.prepare('delete from pet where id = ?').run(id)
      other.close()
    },
    /** The file is moved, as an operator may do by mistake. */
    async interrupt(url) {
      const path = url.replace('sqlite:', '')
      await rename(path, `${path}.moved`)
      return { readsWork: true, end: () => rename(`${path}.moved`, path) }
    },
    /** Another program locks the file for writing. */
    async freeze(url) {
      const other = new Database(url.replace('sqlite:', ''))
      other.exec('begin immediate')
      return { readsWork: true, end: async () => void other.close() }
    },
    close: () => rm(folder, { recursive: true }),
  }
}
