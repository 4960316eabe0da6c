import { aNewPet } from '@pet-store/persistence-testing'
import { createDatabase, type Database, runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { openPostgresBulkAccess } from './bulk-access.ts'
import { migratePostgres, readPostgresMigrations } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { MIGRATIONS } from './schema.ts'
import { openFailingServer } from './testing/failing-server.test-support.ts'

const ALL = MIGRATIONS.map(({ name }) => name)

let database: Database
let url: string
/** The database as messages name it. */
let named: string
let other: pg.Client

beforeEach(async () => {
  database = await createDatabase(inject('postgresUrl'))
  url = database.url
  const { host, pathname } = new URL(url)
  named = `PostgreSQL database "${host}${pathname}"`
  other = new pg.Client({ connectionString: url })
  await other.connect()
})
afterEach(async () => {
  await other.end()
  await database.drop()
})

function errorSaying(message: string) {
  return expect.objectContaining({ message })
}

async function tables(): Promise<readonly string[]> {
  const { rows } = await other.query(
    "select tablename from pg_tables where schemaname = 'public' order by 1",
  )
  return rows.map(({ tablename }) => tablename as string)
}

it('reading migrations tells missing from empty databases, and changes neither', async () => {
  const missing = Object.assign(new URL(url), { pathname: '/nowhere' }).href
  expect(await readPostgresMigrations({ url: missing })).toEqual({
    database: 'missing',
    pending: ALL,
    newer: [],
  })
  expect(await readPostgresMigrations({ url })).toEqual({
    database: 'empty',
    pending: ALL,
    newer: [],
  })
  expect(await tables()).toEqual([])
})

it.each([3, 9, 15])(
  'migrations run completely when a statement conflicts with another transaction: %i',
  async (count) => {
    const server = await openFailingServer(url)
    server.failOnce(count)
    expect(await migratePostgres({ url: server.url })).toEqual(ALL)
    expect((await readPostgresMigrations({ url })).pending).toEqual([])
  },
)

it('migrations reject when their statements always conflict', async () => {
  const server = await openFailingServer(url)
  server.failEvery(20)
  await expect(migratePostgres({ url: server.url, migrationWaitMs: 100 })).rejects.toThrow(
    /^Cannot migrate the PostgreSQL database ".*": .*injected\.$/,
  )
  expect(await tables()).toEqual([])
})

it('migrations leave nothing behind when one fails', async () => {
  await other.query('create table pet (something_else int)')
  await expect(migratePostgres({ url })).rejects.toThrow(
    errorSaying(`Cannot migrate the ${named}: relation "pet" already exists.`),
  )
  expect(await tables()).toEqual(['pet'])
})

it('migrations need no lock when there is nothing to do', async () => {
  await migratePostgres({ url })
  await other.query(
    'begin; select pg_advisory_xact_lock(1885697139); lock table migration in share mode',
  )
  expect(await migratePostgres({ url })).toEqual([])
  expect((await readPostgresMigrations({ url })).pending).toEqual([])
  await (await openPostgresPersistence({ url, mode: 'migrate' })).close()
  await other.query('rollback')
})

it('migrations give up when a lock is not free in time', async () => {
  await other.query('begin; select pg_advisory_xact_lock(1885697139)')
  await expect(migratePostgres({ url, migrationWaitMs: 100 })).rejects.toThrow(
    errorSaying(`Cannot migrate the ${named}: another session has held a lock for 0.1 s.`),
  )
  await other.query('rollback')
  expect(await tables()).toEqual([])
})

it('migrations create the tables in each schema of a database, public first or not', async () => {
  await other.query('create schema "a.b"; create schema "C d"; create schema e')
  for (const schema of ['a.b', 'e', 'public', 'C d']) {
    const there = new URL(url)
    there.searchParams.set('options', `-csearch_path="${schema.replace(' ', '\\ ')}"`)
    expect(await migratePostgres({ url: there.href })).toEqual(ALL)
    expect((await readPostgresMigrations({ url: there.href })).pending).toEqual([])
    const opened = await openPostgresPersistence({ url: there.href })
    expect(await opened.pets.list({ limit: 1 })).toEqual([])
    await opened.pets.add(aNewPet())
    await opened.close()
  }
})

it('migrations run in a database and a schema whose names have quotes', async () => {
  const name = `pet 'store' ${process.pid}`
  await other.query(`create database "${name}"`)
  const quoted = new URL(url)
  quoted.pathname = `/${encodeURIComponent(name)}`
  try {
    expect(await migratePostgres({ url: quoted.href })).toEqual(ALL)
    await runSql(quoted.href, `create schema "it's"`)
    quoted.searchParams.set('options', `-csearch_path="it's"`)
    expect(await migratePostgres({ url: quoted.href })).toEqual(ALL)
  } finally {
    await other.query(`drop database "${name}" with (force)`)
  }
})

it('migrations that cannot run say why before anything is tried', async () => {
  const role = `pet_clerk_${process.pid}`
  const clerk = Object.assign(new URL(url), { username: role }).href
  await other.query(`create role ${role} login; revoke create on schema public from public`)
  try {
    for (const [before, obstacle] of [
      ['select', `may not create tables in the schema "public": .* to "${role}"`],
      ['revoke usage on schema public from public', 'may use no schema of the search_path'],
      [`alter role ${role} set search_path = nowhere`, 'may use no schema of the search_path'],
      [`alter role ${role} set default_transaction_read_only = on`, 'it is read-only'],
    ]) {
      await other.query(`${before}`)
      const state = await readPostgresMigrations({ url: clerk })
      expect(state).toMatchObject({ database: 'empty', pending: ALL })
      expect(state.obstacle).toMatch(new RegExp(`${obstacle}`))
      await expect(migratePostgres({ url: clerk })).rejects.toThrow(
        new RegExp(`^Cannot migrate the PostgreSQL database .*${obstacle}`),
      )
    }
  } finally {
    await other.query(`drop role ${role}`)
  }
})

it('migrations of a newer version are named, and no copy loses what they added', async () => {
  await migratePostgres({ url })
  await other.query("insert into migration (name) values ('9999-add-breed')")
  await expect(openPostgresBulkAccess({ url })).rejects.toThrow(
    errorSaying(
      `The ${named} has migrations of a newer version: 9999-add-breed. Use that version.`,
    ),
  )
  await (await openPostgresPersistence({ url })).close()
  const state = await readPostgresMigrations({ url })
  expect(state).toEqual({ database: 'migrated', pending: [], newer: ['9999-add-breed'] })
})

it('migrations of an earlier version are rejected, and the error says what to do', async () => {
  await other.query(
    'create table migration (id serial, name text); ' +
      "insert into migration (name) values ('0001-create-pets')",
  )
  for (const attempt of [
    readPostgresMigrations,
    migratePostgres,
    openPostgresPersistence,
    openPostgresBulkAccess,
  ]) {
    await expect(attempt({ url, mode: 'migrate' })).rejects.toThrow(
      errorSaying(
        `The ${named} was created by an earlier version, which this one does not continue: ` +
          'export its pets with that version (pet-store export), and import them into a new ' +
          'database with this one (pet-store import). They get new ids; API keys and ' +
          'idempotency keys stay behind.',
      ),
    )
  }
})

it.each([
  ['rows', 'id serial, name text); insert into migration (name) values ($$Users1$$', '"Users1"'],
  ['columns', 'version text', 'has other columns'],
])('migrations of another program are rejected by their %s', async (_, sql, reason) => {
  await other.query(`create table migration (${sql})`)
  for (const attempt of [readPostgresMigrations, migratePostgres, openPostgresPersistence]) {
    await expect(attempt({ url, mode: 'migrate' })).rejects.toThrow(
      new RegExp(`^The PostgreSQL database ".*" belongs to another program, .* ${reason}: use a`),
    )
  }
  expect(await tables()).toEqual(['migration'])
})

it('a migration that fails because a column is missing says which', async () => {
  await other.query('create table migration (id serial, name text)')
  await expect(migratePostgres({ url })).rejects.toThrow(/: column "executed_at" .*exist\.$/)
})

it.each(['read committed', 'repeatable read', 'serializable'])(
  'migrations run once when ten programs start together, where the default is %s',
  async (isolation) => {
    await other.query(
      `alter database ${new URL(url).pathname.slice(1)} ` +
        `set default_transaction_isolation = '${isolation}'`,
    )
    const done = await Promise.all(Array.from({ length: 10 }, () => migratePostgres({ url })))
    expect(done.flat()).toEqual(ALL)
  },
)

it('migrations are required for opening, run once and are returned by name', async () => {
  await expect(openPostgresPersistence({ url })).rejects.toThrow(
    `The ${named} must be migrated first: it lacks 0001-create-schema`,
  )
  expect(await migratePostgres({ url })).toEqual(ALL)
  expect((await readPostgresMigrations({ url })).pending).toEqual([])
  expect(await migratePostgres({ url })).toEqual([])
  const persistence = await openPostgresPersistence({ url })
  await expect(persistence.check()).resolves.toBeUndefined()
  await persistence.close()
})
