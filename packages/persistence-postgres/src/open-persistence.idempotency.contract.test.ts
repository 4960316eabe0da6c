import { IDEMPOTENCY_KEY_LIFETIME_MS, type Pet } from '@pet-store/domain'
import { aNewPet } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PostgresOptions } from './database/settings.ts'
import { migratePostgres } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()
const NOW = Date.now()

beforeAll(async () => {
  await migratePostgres({ url: database.url })
})
beforeEach(async () => {
  await runSql(database.url, 'truncate pet, idempotency_key restart identity')
})

/** Stores keys of a time, the first ones in the same millisecond. */
const storeKeys = (name: string, count: number, at: number) =>
  runSql(
    database.url,
    `insert into idempotency_key
     select 'shop', '${name} ' || n, 'f', n, ${at} + greatest(n, 600)
     from generate_series(1, ${count}) n`,
  )

async function openAdd(
  options: Partial<PostgresOptions> = {},
): Promise<(key: string, at?: number) => Promise<Pet>> {
  const { pets, close } = await openPostgresPersistence({ url: database.url, ...options })
  onTestFinished(close)
  return async (key, at = Date.now()) =>
    (await pets.addWithKey(aNewPet(), { owner: 'shop', key, fingerprint: 'f', at: new Date(at) }))
      .pet
}

async function storedKeys(): Promise<readonly string[]> {
  const rows = await runSql<{ key: string }>(
    database.url,
    'select key from idempotency_key order by created_at',
  )
  return rows.map(({ key }) => key)
}

it('an instance whose clock is 25 hours fast treats no key of PostgreSQL as expired', async () => {
  const { pets, close } = await openPostgresPersistence({ url: database.url })
  onTestFinished(close)
  const key = { owner: 'shop', key: 'k', fingerprint: 'f' }
  const { pet } = await pets.addWithKey(aNewPet(), key)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(await pets.addWithKey(aNewPet(), key)).toEqual({ pet, isReplay: true })
  await pets.addWithKey(aNewPet(), { ...key, key: 'fast' })
  vi.useRealTimers()
  expect(await pets.addWithKey(aNewPet(), { ...key, key: 'fast' })).toMatchObject({
    isReplay: true,
  })
})

describe('PostgreSQL deletes expired idempotency keys', () => {
  it("a later add deletes expired keys, and not those alive by the server's clock", async () => {
    await storeKeys('old', 1_600, NOW - IDEMPOTENCY_KEY_LIFETIME_MS - 60_000)
    await storeKeys('live', 1, NOW - IDEMPOTENCY_KEY_LIFETIME_MS + 60_000)
    const add = await openAdd()
    // The clock of this instance is a day fast.
    await add('new', NOW + IDEMPOTENCY_KEY_LIFETIME_MS)
    await expect.poll(storedKeys).toEqual(['live 1', 'new'])
    expect(await runSql(database.url, 'select count(*)::int as pets from pet')).toEqual([
      { pets: 1 },
    ])
  })

  it('deleting expired keys does not delay adds, and is reported when it fails', async () => {
    await storeKeys('old', 1, NOW - IDEMPOTENCY_KEY_LIFETIME_MS - 60_000)
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('begin; select 1 from idempotency_key for update')
    const onBackgroundFailure = vi.fn()
    const add = await openAdd({ onBackgroundFailure, statementTimeoutMs: 1_000 })
    await add('new')
    expect(onBackgroundFailure).not.toHaveBeenCalled()
    await expect
      .poll(() => onBackgroundFailure.mock.calls)
      .toMatchObject([[{ code: 'persistence_unavailable', cause: { code: '57014' } }]])
    expect(await storedKeys()).toEqual(['old 1', 'new'])
  })
})
