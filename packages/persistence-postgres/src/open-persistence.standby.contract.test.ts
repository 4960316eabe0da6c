import { aNewPet } from '@pet-store/persistence-testing'
import { createDatabase, runSql, startReplicatedServer } from '@pet-store/testing-postgres'
import { expect, it, onTestFinished } from 'vitest'
import type { PostgresOptions } from './database/settings.ts'
import { migratePostgres } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()
const unavailable = { code: 'persistence_unavailable', outcome: 'not_stored' }

const A_KEY = { scopes: ['pets:read'], createdAt: new Date(0) } as const

async function open(options: PostgresOptions) {
  const opened = await openPostgresPersistence(options)
  onTestFinished(() => opened.close())
  return opened
}

it('a standby serves no reads until it is promoted, unless it is opened to be read', async () => {
  const server = await startReplicatedServer()
  onTestFinished(() => server.stop())
  const { url } = await createDatabase(server.primary.url)
  await migratePostgres({ url })
  await server.catchUp()
  const standbyUrl = Object.assign(new URL(url), { port: server.standby.port }).href
  const opened = [
    await open({ url: standbyUrl, poolSize: 1 }),
    await open({ url: standbyUrl, poolSize: 4 }),
  ]
  await runSql(server.standby.url, 'select pg_wal_replay_pause()')
  const primary = await open({ url })
  const key = { id: 'key_new', sha256: 'a'.repeat(64), name: 'new', ...A_KEY }
  await primary.apiKeys.add(key)
  for (const { check, pets, apiKeys } of opened) {
    await expect(check()).rejects.toThrow('The database is read-only')
    // It is not known whether there is such a key.
    await expect(apiKeys.findByHash(key.sha256)).rejects.toMatchObject(unavailable)
    await expect(apiKeys.list()).rejects.toMatchObject(unavailable)
    await expect(pets.list({ limit: 1 })).rejects.toMatchObject(unavailable)
    await expect(pets.find(1n)).rejects.toMatchObject(unavailable)
    await expect(pets.add(aNewPet())).rejects.toMatchObject(unavailable)
  }
  const { pets: read } = await open({ url: standbyUrl, mode: 'read' })
  expect(await read.list({ limit: 1 })).toEqual([])

  await runSql(server.standby.url, 'select pg_wal_replay_resume()')
  await server.catchUp()
  await runSql(server.standby.url, 'select pg_promote()')
  for (const { check, pets, apiKeys } of opened) {
    await check()
    expect(await apiKeys.findByHash(key.sha256)).toMatchObject({ id: key.id })
    const { id } = await pets.add(aNewPet())
    expect(await pets.find(id)).toMatchObject({ id })
  }
})

it.each([
  ['default_transaction_read_only = on', 'The database is read-only'],
  ['search_path = elsewhere', 'relation "pet" does not exist'],
])('a database works again at once after a time with %s', async (setting, reason) => {
  const name = new URL(database.url).pathname.slice(1)
  const url = new URL(database.url)
  // The operator is not subject to the settings.
  url.searchParams.set('options', '-c default_transaction_read_only=off')
  const onServer = (sql: string) => runSql(url.href, sql)
  const { check, pets } = await open({ url: database.url, mode: 'migrate' })
  const { id } = await pets.add(aNewPet())
  await onServer(`alter database ${name} set ${setting}`)
  // Only connections that are opened from now on have the setting.
  await onServer(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await expect.poll(() => check().catch(String)).toContain(reason)
  for (let count = 0; count < 3; count += 1) {
    await expect(pets.add(aNewPet())).rejects.toMatchObject(unavailable)
    await pets.find(id).catch(() => {})
  }
  await onServer(`alter database ${name} reset all`)
  await check()
  await pets.add(aNewPet())
  expect(await pets.find(id)).toMatchObject({ id })
})

it('calls that fail on a standby do not each open a connection', async () => {
  const server = await startReplicatedServer()
  onTestFinished(() => server.stop())
  const { url } = await createDatabase(server.primary.url)
  await migratePostgres({ url })
  await server.catchUp()
  const standby = new URL(Object.assign(new URL(url), { port: server.standby.port }))
  const { pets, apiKeys } = await open({ url: standby.href })
  const sessions = async () => Number((await runSql<Sessions>(standby.href, SESSIONS))[0]?.sessions)
  const before = await sessions()
  const count = 30
  for (let round = 0; round < count; round += 1) {
    for (const failing of [() => pets.add(aNewPet()), () => pets.find(1n), () => apiKeys.list()])
      await expect(failing()).rejects.toMatchObject(unavailable)
  }
  expect((await sessions()) - before).toBeLessThan(count)
})

interface Sessions {
  readonly sessions: string
}

/** How many there have been, without those that are open and have not been counted yet. */
const SESSIONS = 'select sessions from pg_stat_database where datname = current_database()'
