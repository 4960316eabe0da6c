import { join } from 'node:path'
import { IDEMPOTENCY_KEY_LIFETIME_MS } from '@pet-store/domain'
import { aNewPet } from '@pet-store/persistence-testing'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openSqlitePersistence } from './open-persistence.ts'

it('expired idempotency keys are deleted in the background, and no pet', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'pets.db')
  const { pets, close } = await openSqlitePersistence({ url: `sqlite:${path}`, mode: 'migrate' })
  onTestFinished(close)
  const other = new Database(path)
  onTestFinished(() => void other.close())
  const now = Date.now()
  const old = now - IDEMPOTENCY_KEY_LIFETIME_MS - 60_000
  const insert = other.prepare("insert into idempotency_key values ('shop', ?, 'f', 1, ?)")
  other.transaction(() => {
    for (let key = 0; key < 1_200; key += 1) insert.run(`old ${key}`, old + (key % 700))
    insert.run('live', now - IDEMPOTENCY_KEY_LIFETIME_MS + 60_000)
  })()

  // By the clock of this instance, which is fast, the live one has expired too.
  const at = new Date(now + IDEMPOTENCY_KEY_LIFETIME_MS)
  const { pet } = await pets.addWithKey(aNewPet(), {
    owner: 'shop',
    key: 'new',
    fingerprint: 'f',
    at,
  })
  const keys = other.prepare('select key from idempotency_key order by created_at').pluck()
  await expect.poll(() => keys.all()).toEqual(['live', 'new'])
  expect(await pets.find(pet.id)).toEqual(pet)
})

it('a process whose clock is 25 hours fast treats no key of SQLite as expired', async () => {
  const { pets, close } = await openSqlitePersistence({ url: 'sqlite::memory:', mode: 'migrate' })
  onTestFinished(close)
  const key = { owner: 'shop', key: 'k', fingerprint: 'f' }
  const { pet } = await pets.addWithKey(aNewPet(), key)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(await pets.addWithKey(aNewPet(), key)).toEqual({ pet, isReplay: true })
})
