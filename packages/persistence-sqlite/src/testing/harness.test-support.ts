import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { Migration } from '@mikro-orm/migrations'
import type { MigrationObject } from '@mikro-orm/sqlite'
import { addPetOfEachStatus, type PersistenceHarness } from '@pet-store/persistence-testing'
import Database from 'better-sqlite3'
import { openSqliteBulkAccess } from '../bulk-access.ts'
import { sqliteCapabilities } from '../database/settings.ts'
import { openSqlitePersistence } from '../open-persistence.ts'
import { MIGRATIONS } from '../schema.ts'

/** No version has a second migration yet, so one of tomorrow is made. */
class AddNote extends Migration {
  override up(): void {
    this.addSql('alter table pet add column note text')
  }
}
const NEXT: MigrationObject = { name: '9999-add-note', class: AddNote }

/** The names of all tables of the service. */
const TABLES = `
  select name from sqlite_schema
  where type = 'table' and name not like 'sqlite%' and name <> 'migration'`

/** Of the source, or bundled with this file. */
const MODULE = new URL(`../index${extname(import.meta.url)}`, import.meta.url).href

/** For `pet-store-adapter check --harness`: files in a temporary folder. */
export default async function createHarness(): Promise<PersistenceHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-'))
  let files = 0
  const migrations = MIGRATIONS as MigrationObject[]
  const emptyDatabase = async () => {
    if (migrations.at(-1) === NEXT) migrations.pop()
    return `sqlite:${folder}/${++files}.db`
  }
  return {
    open: openSqlitePersistence,
    openBulkAccess: openSqliteBulkAccess,
    capabilities: sqliteCapabilities,
    emptyDatabase,
    concurrent: true,
    databaseBeside: async (url) => `${url}0`,
    async outdatedDatabase() {
      const url = await emptyDatabase()
      const opened = await openSqlitePersistence({ url, mode: 'migrate' })
      const pets = await addPetOfEachStatus(opened.pets)
      await opened.close()
      migrations.push(NEXT)
      return {
        url,
        pets,
        async restore() {
          const other = new Database(url.replace('sqlite:', ''))
          other.exec(
            `alter table pet drop column note; delete from migration where name = '${NEXT.name}'`,
          )
          other.close()
        },
      }
    },
    module: MODULE,
    exportName: 'openSqlitePersistence',
    bulkExportName: 'openSqliteBulkAccess',
    nodeOptions: ['--conditions=@pet-store/source'],
    async newerDatabase() {
      const url = await emptyDatabase()
      migrations.push(NEXT)
      const opened = await openSqlitePersistence({ url, mode: 'migrate' })
      const pets = await addPetOfEachStatus(opened.pets)
      await opened.close()
      migrations.pop()
      return { url, pets }
    },
    async migrateToNewer(url) {
      const other = new Database(url.replace('sqlite:', ''))
      const tables = other.prepare(TABLES).pluck().all()
      other.exec(tables.map((name) => `alter table ${name} add column more text`).join(';'))
      other.close()
    },
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
