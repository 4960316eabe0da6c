import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { beforeEach, expect, it } from 'vitest'
import { openSqliteBulkAccess } from './bulk-access.ts'
import { migrateSqlite, readSqliteMigrations } from './migrations.ts'
import { openSqlitePersistence } from './open-persistence.ts'
import { MIGRATIONS } from './schema.ts'

const ALL = MIGRATIONS.map(({ name }) => name)

let folder: string
let path: string
let url: string

beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder, 'pets.db')
  url = `sqlite:${path}`
})

it('a file is closed again when opening it is rejected', async () => {
  writeFileSync(path, '')
  await readSqliteMigrations({ url })
  await openSqlitePersistence({ url }).catch(() => undefined)
  await migrateSqlite({ url })
  // A newer version may have changed the table.
  new Database(path).exec('alter table pet rename column category_id to category').close()
  for (const open of [openSqlitePersistence, openSqliteBulkAccess]) {
    await expect(open({ url })).rejects.toThrow('category_id')
  }
  // The last connection that closes removes the log.
  expect(readdirSync(folder)).toEqual(['pets.db'])
})

it('the state of migrations tells a missing file from an empty or current one', async () => {
  expect(await readSqliteMigrations({ url })).toEqual({
    database: 'missing',
    pending: ALL,
    newer: [],
  })
  expect(readdirSync(folder)).toEqual([])
  writeFileSync(path, '')
  expect(await readSqliteMigrations({ url })).toEqual({
    database: 'empty',
    pending: ALL,
    newer: [],
  })
  await migrateSqlite({ url })
  new Database(path).exec("insert into migration (name) values ('9999-add-breed')").close()
  expect(await readSqliteMigrations({ url })).toEqual({
    database: 'migrated',
    pending: [],
    newer: ['9999-add-breed'],
  })
})

it('migrations of a newer version are served, and rejected by bulk access', async () => {
  await migrateSqlite({ url })
  const database = new Database(path)
  database.exec("insert into migration (name) values ('9999-newer')")
  database.close()
  expect(await migrateSqlite({ url })).toEqual([])
  await (await openSqlitePersistence({ url })).close()
  await expect(openSqliteBulkAccess({ url })).rejects.toThrow(
    `The SQLite database ${JSON.stringify(path)} has migrations of a newer version: ` +
      '9999-newer. Use that version.',
  )
})

it('migrations of an earlier version are rejected, and the error says what to do', async () => {
  const database = new Database(path)
  database.exec(
    'create table migration (id integer, name text); ' +
      "insert into migration values (1, '0001-create-pets')",
  )
  database.close()
  const sentence =
    `The SQLite database ${JSON.stringify(path)} was created by an earlier version, ` +
    'which this one does not continue: export its pets with that version (pet-store export), ' +
    'and import them into a new database with this one (pet-store import). ' +
    'They get new ids; API keys and idempotency keys stay behind.'
  for (const attempt of [
    readSqliteMigrations,
    migrateSqlite,
    openSqlitePersistence,
    openSqliteBulkAccess,
  ]) {
    await expect(attempt({ url, mode: 'migrate' })).rejects.toThrow(new Error(sentence))
  }
})

it.each([
  ['rows', "id, name); insert into migration values (1, 'Users1'", '"Users1"'],
  ['columns', 'version', 'has other columns'],
])('migrations of another program are rejected by their %s', async (_, sql, reason) => {
  new Database(path).exec(`create table migration (${sql})`).close()
  for (const attempt of [readSqliteMigrations, migrateSqlite, openSqlitePersistence]) {
    await expect(attempt({ url, mode: 'migrate' })).rejects.toThrow(
      new RegExp(`^The SQLite database ".*" belongs to another program, .* ${reason}: use a`),
    )
  }
})

it('migrations wait for no other process when there is nothing to do', async () => {
  await migrateSqlite({ url })
  const other = new Database(path)
  other.exec('begin immediate')
  expect(await migrateSqlite({ url })).toEqual([])
  expect((await readSqliteMigrations({ url })).pending).toEqual([])
  other.close()
})

it('migrations run once when several connections of one process start at once', async () => {
  const results = await Promise.all(Array.from({ length: 6 }, () => migrateSqlite({ url })))
  expect(results.flat()).toEqual(ALL)
})

it('migrations change nothing when one fails', async () => {
  const database = new Database(path)
  database.exec('create table pet (something_else)')
  await expect(migrateSqlite({ url })).rejects.toThrow(
    `Cannot migrate the SQLite database ${JSON.stringify(path)}: table pet already exists.`,
  )
  expect(database.prepare('select name from sqlite_schema').pluck().all()).toEqual(['pet'])
  database.close()
})

it('migrations are required for opening, run once and are returned by name', async () => {
  writeFileSync(path, '')
  const sentence =
    `The SQLite database ${JSON.stringify(path)} must be migrated first: ` +
    `it lacks ${ALL.join(', ')}.`
  await expect(openSqlitePersistence({ url })).rejects.toThrow(new Error(sentence))
  expect(await migrateSqlite({ url })).toEqual(ALL)
  expect((await readSqliteMigrations({ url })).pending).toEqual([])
  expect(await migrateSqlite({ url })).toEqual([])
  const persistence = await openSqlitePersistence({ url })
  await expect(persistence.check()).resolves.toBeUndefined()
  await persistence.close()
})
