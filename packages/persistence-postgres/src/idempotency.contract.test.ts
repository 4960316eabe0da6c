import { IDEMPOTENCY_KEY_LIFETIME_MS, type Pet } from '@pet-store/domain'
import { aNewPet } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { migratePostgres } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()
const NOW = Date.parse('2027-01-01T12:00:00Z')
const LONG_AGO = NOW - 2 * IDEMPOTENCY_KEY_LIFETIME_MS

beforeAll(async () => {
  await migratePostgres({ url: database.url })
})
beforeEach(async () => {
  await runSql(database.url, 'truncate pet, idempotency_key restart identity')
})

async function openAdding(): Promise<(key: string, at: number) => Promise<Pet>> {
  const { pets, close } = await openPostgresPersistence({ url: database.url })
  onTestFinished(close)
  return async (key, at) =>
    (await pets.addWithKey(aNewPet(), { owner: 'shop', key, fingerprint: 'f', at: new Date(at) })).pet
}

async function keysThere(): Promise<readonly string[]> {
  const rows = await runSql<{ key: string }>(database.url, 'select key from idempotency_key order by pet_id')
  return rows.map(({ key }) => key)
}

describe('PostgreSQL deletes idempotency keys that are older than a day', () => {
  it('with later adds, and not the pets', async () => {
    const add = await openAdding()
    for (let key = 0; key < 15; key += 1) await add(`old ${key}`, LONG_AGO + key)
    await add('new', NOW)
    await add('newer', NOW + 1)
    expect(await keysThere()).toEqual(['new', 'newer'])
    expect(await runSql(database.url, 'select count(*)::int as pets from pet')).toEqual([{ pets: 17 }])
  })

  it('without waiting for those that another add is deleting', async () => {
    const add = await openAdding()
    for (const key of ['oldest', 'old']) await add(key, LONG_AGO)
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    onTestFinished(() => other.end())
    await other.query("begin; select 1 from idempotency_key where key = 'oldest' for update")

    await add('new', NOW)
    expect(await keysThere()).toEqual(['oldest', 'new'])
  })
})
