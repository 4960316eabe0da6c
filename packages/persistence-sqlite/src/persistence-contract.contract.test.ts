import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PersistenceHarness, persistenceContract } from '@pet-store/persistence-testing'
import { afterAll, describe, it } from 'vitest'
import { openSqliteDatabase } from './database.ts'
import { openSqlitePersistence } from './open-persistence.ts'
import { createSqliteOrm } from './orm.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
afterAll(() => rmSync(folder, { recursive: true }))
let places = 0

const emptyPlace = async () => `sqlite:${folder}/${++places}.db`

const harness: PersistenceHarness = {
  open: openSqlitePersistence,
  emptyPlace,
  async outdatedPlace() {
    const url = await emptyPlace()
    const orm = createSqliteOrm(await openSqliteDatabase(url.replace('sqlite:', '')))
    await orm.migrator.up({ to: '0001-create-pets' })
    await orm.close()
    return url
  },
  isShared: true,
  module: new URL('index.ts', import.meta.url).href,
  exportName: 'openSqlitePersistence',
  nodeOptions: ['--conditions=@pet-store/source'],
  /** The file is moved away, as an operator may do by mistake. */
  async interrupt(url) {
    const path = url.replace('sqlite:', '')
    renameSync(path, `${path}.moved`)
    return { readsWork: true, end: async () => renameSync(`${path}.moved`, path) }
  },
}

describe('SQLite as a whole', () => {
  for (const { name, timeLimitMs, run } of persistenceContract(harness)) {
    it(name, { timeout: timeLimitMs + 1000 }, async ({ skip }) => {
      const notShown = await run()
      skip(notShown !== undefined, notShown)
    })
  }
})
