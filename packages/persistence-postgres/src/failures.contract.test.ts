import {
  aNewPet,
  apiKeyRepositoryContract,
  petRepositoryContract,
  rateLimiterContract,
} from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresDatabase } from './database/database.ts'
import type { PostgresOptions } from './database/settings.ts'
import { migratePostgres } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { openFailingServer, openProxy } from './testing/failing-server.test-support.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()
const TABLES = ['pet', 'idempotency_key', 'api_key', 'request_count']
const onServer = (sql: string) => runSql<Record<string, unknown>>(database.url, sql)

async function open(options: Partial<PostgresOptions> = {}) {
  const opened = await openPostgresPersistence({ url: database.url, ...options })
  onTestFinished(() => opened.close())
  return opened
}

async function openOther(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

beforeAll(async () => {
  await migratePostgres({ url: database.url })
})
beforeEach(async () => {
  await onServer(`truncate ${TABLES.join(', ')} restart identity`)
})

describe('Adding to PostgreSQL', () => {
  it('never repeats inserts whose results were lost, and says that their outcome is unknown', async () => {
    const proxy = await openProxy(database.url)
    const { pets } = await open({ url: proxy.url, poolSize: 1 })
    await pets.add(aNewPet({ name: 'before' }))
    proxy.set('lose-replies')
    const lost = await Promise.allSettled([1, 2, 3].map((number) => pets.add(aNewPet({ name: `lost ${number}` }))))
    for (const { reason } of lost as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: 'persistence_unavailable', outcome: 'unknown' })
    }
    await expect
      .poll(() => onServer("select count(*)::int as count from pet where name like 'lost%'"))
      .toEqual([{ count: 3 }])
  })

  it('stores nothing, and says so, when there is no connection', async () => {
    const proxy = await openProxy(database.url)
    const { pets } = await open({ url: proxy.url })
    proxy.close()
    const key = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date() }
    // The first calls may still find a connection of which nobody knows yet that it is lost.
    await Promise.allSettled([pets.add(aNewPet()), pets.find(1n), pets.find(1n)])
    const calls = [pets.add(aNewPet()), pets.addWithKey(aNewPet(), key), pets.find(1n), pets.list({ limit: 1 })]
    for (const { reason } of (await Promise.allSettled<unknown>(calls)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: 'persistence_unavailable', outcome: 'not_stored' })
    }
  })

  it('drops a pet with a key that is cancelled while it waits for a connection', async () => {
    const { pets } = await open({ poolSize: 1 })
    const other = await openOther()
    await other.query('begin; lock table pet')
    const first = pets.add(aNewPet())
    const cancellation = { aborted: false }
    const key = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date() }
    const cancelled = pets.addWithKey(aNewPet(), key, cancellation)
    const isDropped = expect(cancelled).rejects.toMatchObject({ outcome: 'not_stored' })
    cancellation.aborted = true
    await other.query('commit')
    await first
    await isDropped
    expect(await onServer('select 1 from pet')).toHaveLength(1)
  })

  it('says that nothing is stored when the server ends the statement, and keeps the connection', async () => {
    const { pets, poolUse } = await open({ poolSize: 1, statementTimeoutMs: 1_000 })
    const other = await openOther()
    await other.query('begin; lock table pet')
    await expect(pets.add(aNewPet())).rejects.toMatchObject({ outcome: 'not_stored', cause: { code: '57014' } })
    await other.query('rollback')
    expect(poolUse()).toMatchObject([{ idle: 1 }])
  })
})

describe.each(['serializable transactions', 'serialization failures in a fifth of all statements'])(
  'With %s, PostgreSQL fulfils the contract:',
  (kind) => {
    async function openWithConflicts() {
      if (kind === 'serializable transactions') {
        const url = new URL(database.url)
        url.searchParams.set('options', '-c default_transaction_isolation=serializable')
        return open({ url: url.href })
      }
      // Reads and what opening asks too.
      const server = await openFailingServer(database.url)
      server.failEvery(5)
      return open({ url: server.url })
    }
    for (const { name, run } of petRepositoryContract) it(name, async () => run((await openWithConflicts()).pets))
    for (const { name, run } of apiKeyRepositoryContract) it(name, async () => run((await openWithConflicts()).apiKeys))
    for (const { name, run } of rateLimiterContract) {
      it(name, async () => run((await openWithConflicts()).createRateLimiter))
    }
    it('checks that it works and is migrated', async () => {
      const { check, isMigrated } = await openWithConflicts()
      for (let count = 0; count < 6; count += 1) {
        await check()
        expect(await isMigrated()).toBe(true)
      }
    })
  },
)

describe('Checking PostgreSQL', () => {
  it('rejects a database that takes no writes', async () => {
    const url = new URL(database.url)
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    const { check, pets } = await open({ url: url.href })
    await expect(check()).rejects.toThrow('The database is read-only')
    await expect(pets.add(aNewPet())).rejects.toMatchObject({ outcome: 'not_stored' })
  })
})

describe('Opening PostgreSQL', () => {
  it('rejects a database with another encoding than UTF8', async () => {
    const name = 'pet_store_latin1'
    await onServer(`drop database if exists ${name}`)
    await onServer(`create database ${name} encoding 'LATIN1' locale 'C' template template0`)
    onTestFinished(async () => {
      await onServer(`drop database ${name} with (force)`)
    })
    const url = Object.assign(new URL(database.url), { pathname: `/${name}` }).href
    await expect(openPostgresPersistence({ url })).rejects.toThrow(
      /": its encoding is LATIN1, and names of pets need UTF8\.$/,
    )
  })

  it('survives a connection that breaks while it is in use', async () => {
    const { pool } = await openPostgresDatabase({ url: database.url, poolSize: 1 })
    onTestFinished(() => pool.end())
    const client = await pool.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const ended = new Promise((resolve) => client.once('end', resolve))
    await onServer(`select pg_terminate_backend(${rows[0]?.pid})`)
    await ended
    client.release(true)
    expect((await pool.query('select 1')).rowCount).toBe(1)
  })
})
