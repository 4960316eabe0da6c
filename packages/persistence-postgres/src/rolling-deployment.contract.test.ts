import { validateNewPet } from '@pet-store/domain'
import { createDatabase } from '@pet-store/testing-postgres'
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { openPostgresDatabase } from './database.ts'
import { migratePostgres, readPostgresMigrations } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { createPostgresOrm } from './orm.ts'
import { migrateToOlderRelease, openOlderInstance } from './testing/older-release.test-support.ts'

const NOW = Date.parse('2027-01-01T12:00:00Z')
const REX = validateNewPet({ name: 'Rex', categoryId: 1n })
const keyOf = (key: string, at = NOW) => ({ owner: 'shop', key, fingerprint: 'f', at: new Date(at) })

/** An instance of the release before, on a database that it made. */
async function openOlder() {
  const { url, drop } = await createDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  await migrateToOlderRelease(url)
  const instance = await openOlderInstance(url)
  onTestFinished(instance.close)
  return { ...instance, url, add: (key: string, at = NOW) => instance.add(key, at) }
}

async function openNewer(url: string) {
  const { pets, close } = await openPostgresPersistence({ url, migrate: true })
  onTestFinished(close)
  return pets
}

describe('An older instance beside a newer one on PostgreSQL', () => {
  let older: Awaited<ReturnType<typeof openOlder>>
  beforeEach(async () => {
    older = await openOlder()
  })

  it('shares the keys from before the migration', async () => {
    const id = await older.add('before')
    const pets = await openNewer(older.url)
    expect(await pets.addWithKey(REX, keyOf('before'))).toMatchObject({ pet: { id: BigInt(id ?? 0) }, isReplay: true })
  })

  it('shares the keys that either of them stores', async () => {
    const pets = await openNewer(older.url)
    const id = await older.add('older')
    expect(await pets.addWithKey(REX, keyOf('older'))).toMatchObject({ pet: { id: BigInt(id ?? 0) }, isReplay: true })
    const { pet } = await pets.addWithKey(REX, keyOf('newer'))
    expect(await older.add('newer')).toBeUndefined()
    expect(await older.find('newer')).toBe(String(pet.id))
  })

  it('stores one pet when both use a key at the same time', async () => {
    const pets = await openNewer(older.url)
    for (let round = 0; round < 20; round += 1) {
      const [created, id] = await Promise.all([pets.addWithKey(REX, keyOf(`${round}`)), older.add(`${round}`)])
      expect(id ?? (await older.find(`${round}`))).toBe(String(created.pet.id))
    }
    expect((await older.client.query('select 1 from pet')).rowCount).toBe(20)
  })

  it('frees and reuses old keys of the other', async () => {
    const pets = await openNewer(older.url)
    const old = NOW - 48 * 3_600_000
    await pets.addWithKey(REX, keyOf('newer', old))
    expect(await older.free('newer', NOW)).toBeDefined()
    const again = await older.add('newer')
    expect(await pets.addWithKey(REX, keyOf('newer'))).toMatchObject({ pet: { id: BigInt(again ?? 0) } })

    const first = await older.add('older', old)
    const { pet, isReplay } = await pets.addWithKey(REX, keyOf('older'))
    expect(isReplay).toBe(false)
    expect(await older.find('older')).toBe(String(pet.id))
    expect(String(pet.id)).not.toBe(first)
  })

  it('adds a pet again whose key belonged to a deleted one', async () => {
    await openNewer(older.url)
    const id = await older.add('k')
    await older.client.query('delete from pet where id = $1', [id])
    expect(await older.add('k')).toBeDefined()
  })

  it('leaves the removal of its columns to the next release, which a new database does not wait for', async () => {
    const url = older.url
    expect((await readPostgresMigrations({ url })).pending).toEqual([
      '0006-move-idempotency-keys',
      '0008-identify-imported-files',
      '0009-record-key-changes',
    ])
    expect(await migratePostgres({ url })).toEqual([
      '0006-move-idempotency-keys',
      '0008-identify-imported-files',
      '0009-record-key-changes',
    ])
    expect((await readPostgresMigrations({ url })).pending).toEqual([])
    // What the next release will do.
    const database = await openPostgresDatabase({ url, poolSize: 1 })
    onTestFinished(() => database.pool.end())
    const orm = createPostgresOrm(database)
    await orm.migrator.up()
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
  })
})
