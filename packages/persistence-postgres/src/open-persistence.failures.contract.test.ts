import {
  aNewPet,
  apiKeyRepositoryContract,
  petRepositoryContract,
  rateLimiterContract,
} from '@pet-store/persistence-testing'
import { openFaultyProxy } from '@pet-store/testing'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresBulkAccess } from './bulk-access.ts'
import { openPostgresDatabase } from './database/database.ts'
import type { PostgresOptions } from './database/settings.ts'
import { migratePostgres } from './migrations.ts'
import { openPostgresPersistence, type PostgresPersistence } from './open-persistence.ts'
import { openFailingServer, openProxy } from './testing/failing-server.test-support.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()
const TABLES = ['pet', 'idempotency_key', 'api_key', 'request_count']
const onServer = (sql: string) => runSql<Record<string, unknown>>(database.url, sql)
const emptyTables = () => onServer(`truncate ${TABLES.join(', ')} restart identity`)

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
beforeEach(emptyTables)

describe('Adding to PostgreSQL', () => {
  it('inserts whose results were lost are never repeated: their outcome is unknown', async () => {
    const proxy = await openProxy(database.url)
    const { pets } = await open({ url: proxy.url, poolSize: 1 })
    await pets.add(aNewPet({ name: 'before' }))
    proxy.set('lose-replies')
    const lost = await Promise.allSettled(
      [1, 2, 3].map((number) => pets.add(aNewPet({ name: `lost ${number}` }))),
    )
    for (const { reason } of lost as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: 'persistence_unavailable', outcome: 'unknown' })
    }
    await expect
      .poll(() => onServer("select count(*)::int as count from pet where name like 'lost%'"))
      .toEqual([{ count: 3 }])
  })

  it('an add with a key stores nothing if cancelled while waiting for a connection', async () => {
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

  it('nothing is stored when the server ends a statement, and connections stay', async () => {
    const { pets, poolUse } = await open({ poolSize: 1, statementTimeoutMs: 1_000 })
    const other = await openOther()
    await other.query('begin; lock table pet')
    await expect(pets.add(aNewPet())).rejects.toMatchObject({
      outcome: 'not_stored',
      cause: { code: '57014' },
    })
    await other.query('rollback')
    expect(poolUse()).toMatchObject([{ idle: 1 }])
  })
})

describe('A server that translates its errors', () => {
  it('a full disk with a translated PANIC leaves the outcome of an add unknown', async () => {
    const server = await openFailingServer(database.url, { code: '53100', severity: 'ПАНИКА' })
    const { pets } = await open({ url: server.url })
    server.failEvery(1)
    await expect(pets.add(aNewPet())).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'unknown',
      cause: { code: '53100' },
    })
  })

  it('the contract is fulfilled while a fifth of statements fails, translated', async () => {
    const server = await openFailingServer(database.url, { severity: 'ОШИБКА' })
    // Even reads, and the statements of opening.
    server.failEvery(5)
    await fulfilContract(await open({ url: server.url }))
  })
})

describe('When the connection breaks, PostgreSQL keeps the others', () => {
  it.each([
    ['begin', /begin/, 'not_stored'],
    ['the work', /insert into pet/, 'not_stored'],
    ['commit', /commit\b/, 'unknown'],
    ['rollback', /rollback/, undefined],
  ])(
    'a connection of PostgreSQL that breaks at %s is not returned to the pool',
    async (_, statement, outcome) => {
      let isOpen = false
      const proxy = await openFaultyProxy(database.url, {
        changeRequests: () => (data) => {
          if (!isOpen || !statement.test(data.toString('latin1'))) return data
          proxy.set('reset')
          proxy.set('none')
          return data
        },
      })
      onTestFinished(() => proxy.close())
      const bulk = await openPostgresBulkAccess({ url: proxy.url, poolSize: 2 })
      isOpen = true
      for (let time = 0; time < 5; time += 1) {
        // Work that fails by itself is rolled back.
        const pet = outcome === undefined ? { ...aNewPet(), status: 'lost' as 'sold' } : aNewPet()
        const rejection = outcome === undefined ? {} : { code: 'persistence_unavailable', outcome }
        await expect(bulk.addPets([pet])).rejects.toMatchObject(rejection)
      }
      expect(await Promise.all([1, 2, 3].map(() => bulk.countPets()))).toEqual([0, 0, 0])
      await bulk.close()
    },
  )
})

it('PostgreSQL fulfils the contract with serializable transactions', async () => {
  const url = new URL(database.url)
  url.searchParams.set('options', '-c default_transaction_isolation=serializable')
  await fulfilContract(await open({ url: url.href }))
})

it('an open database survives a connection that breaks while it is in use', async () => {
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

async function fulfilContract(opened: PostgresPersistence): Promise<void> {
  const cases = [
    ...petRepositoryContract.map(({ name, run }) => ({ name, run: () => run(opened.pets) })),
    ...apiKeyRepositoryContract.map(({ name, run }) => ({
      name,
      run: () => run(opened.apiKeys),
    })),
    ...rateLimiterContract.map(({ name, run }) => ({
      name,
      run: () => run(opened.createRateLimiter),
    })),
  ]
  for (const { name, run } of cases) {
    await emptyTables()
    await run().catch((cause: unknown) => {
      throw new Error(name, { cause })
    })
  }
  for (let count = 0; count < 6; count += 1) {
    await opened.check()
    expect(await opened.isMigrated()).toBe(true)
  }
}
