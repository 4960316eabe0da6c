import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IDEMPOTENCY_KEY_LIFETIME_MS } from '@pet-store/domain'
import { aNewPet } from '@pet-store/persistence-testing'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { openSqlitePersistence } from './open-persistence.ts'

it('deletes idempotency keys that are older than a day, and no pet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'pets.db')
  const { pets, close } = await openSqlitePersistence({ url: `sqlite:${path}`, migrate: true })
  const add = (key: string, at: number) =>
    pets.addWithKey(aNewPet(), { owner: 'shop', key, fingerprint: 'f', at: new Date(at) })

  for (let key = 0; key < 15; key += 1) await add(`old ${key}`, key)
  await add('new', IDEMPOTENCY_KEY_LIFETIME_MS + 100)
  await add('newer', IDEMPOTENCY_KEY_LIFETIME_MS + 101)
  await close()

  const database = new Database(path)
  expect(database.prepare('select key from idempotency_key order by pet_id').pluck().all()).toEqual(['new', 'newer'])
  expect(database.prepare('select count(*) from pet').pluck().get()).toBe(17)
  database.close()
})
