import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validateNewPet } from '@pet-store/domain'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openSqliteDatabase } from './database.ts'
import { migrateSqlite, readSqliteMigrations } from './migrations.ts'
import { openSqlitePersistence } from './open-persistence.ts'
import { createSqliteOrm } from './orm.ts'

/** The statements of the release that stored idempotency keys on the pet, exactly as it runs them. */
const ADD = `insert into "pet" ("name", "category_id", "status", "once_owner", "once_key", "once_fingerprint", "once_at")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("once_owner", "once_key") where "once_key" is not null do nothing returning "id"`
const FIND = `select "id" from "pet" where "once_owner" = ? and "once_key" = ?`
const FREE = `update "pet" set "once_owner" = null, "once_key" = null, "once_fingerprint" = null, "once_at" = null
  where "once_owner" = ? and "once_key" = ? and "once_at" <= ? returning "id"`

const NOW = Date.parse('2027-01-01T12:00:00Z')
const REX = validateNewPet({ name: 'Rex', categoryId: 1n })
const keyOf = (key: string, at = NOW) => ({ owner: 'shop', key, fingerprint: 'f', at: new Date(at) })

/** A process of the release before, on a file that it made. */
async function openOlder() {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'pets.db')
  const database = await openSqliteDatabase(path)
  const orm = createSqliteOrm(database)
  onTestFinished(() => orm.close())
  await orm.migrator.up({ to: '0004-note-imports' })
  const firstId = (sql: string, values: unknown[]) =>
    database.prepare(sql).pluck().safeIntegers().get(values) as bigint | undefined
  return {
    url: `sqlite:${path}`,
    orm,
    database,
    add: (key: string, at = NOW) => firstId(ADD, ['Rex', 1, null, 'shop', key, 'f', at]),
    find: (key: string) => firstId(FIND, ['shop', key]),
    free: (key: string, notAfter: number) => firstId(FREE, ['shop', key, notAfter]),
  }
}

async function openNewer(url: string) {
  const { pets, close } = await openSqlitePersistence({ url, migrate: true })
  onTestFinished(close)
  return pets
}

describe('An older process beside a newer one on SQLite', () => {
  let older: Awaited<ReturnType<typeof openOlder>>
  beforeEach(async () => {
    older = await openOlder()
  })

  it('shares the keys from before the migration', async () => {
    const id = older.add('before')
    const pets = await openNewer(older.url)
    expect(await pets.addWithKey(REX, keyOf('before'))).toMatchObject({ pet: { id }, isReplay: true })
  })

  it('shares the keys that either of them stores', async () => {
    const pets = await openNewer(older.url)
    const id = older.add('older')
    expect(await pets.addWithKey(REX, keyOf('older'))).toMatchObject({ pet: { id }, isReplay: true })
    const { pet } = await pets.addWithKey(REX, keyOf('newer'))
    expect(older.add('newer')).toBeUndefined()
    expect(older.find('newer')).toBe(pet.id)
  })

  it('frees and reuses old keys of the other', async () => {
    const pets = await openNewer(older.url)
    const old = NOW - 48 * 3_600_000
    await pets.addWithKey(REX, keyOf('newer', old))
    expect(older.free('newer', NOW)).toBeDefined()
    const again = older.add('newer')
    expect(await pets.addWithKey(REX, keyOf('newer'))).toMatchObject({ pet: { id: again } })

    older.add('older', old)
    const { pet, isReplay } = await pets.addWithKey(REX, keyOf('older'))
    expect(isReplay).toBe(false)
    expect(older.find('older')).toBe(pet.id)
  })

  it('adds a pet again whose key belonged to a deleted one', async () => {
    await openNewer(older.url)
    older.database.prepare('delete from pet where id = ?').run(older.add('k'))
    expect(older.add('k')).toBeDefined()
  })

  it('leaves the removal of its columns to the next release, which a new database does not wait for', async () => {
    const url = older.url
    expect((await readSqliteMigrations({ url })).pending).toEqual([
      '0005-move-idempotency-keys',
      '0007-identify-imported-files',
      '0008-record-key-changes',
    ])
    expect(await migrateSqlite({ url })).toEqual([
      '0005-move-idempotency-keys',
      '0007-identify-imported-files',
      '0008-record-key-changes',
    ])
    expect((await readSqliteMigrations({ url })).pending).toEqual([])
    // What the next release will do.
    await older.orm.migrator.up()
    expect(await older.orm.schema.getUpdateSchemaSQL()).toBe('')
  })
})
