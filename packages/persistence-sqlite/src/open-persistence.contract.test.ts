import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aNewPet, apiKeyRepositoryContract, petRepositoryContract } from '@pet-store/persistence-testing'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlitePersistence, type SqlitePersistence } from './open-persistence.ts'

let folder: string
let path: string
let storage: SqlitePersistence

const open = () => openSqlitePersistence({ url: `sqlite:${path}`, migrate: true })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
  path = join(folder, 'pets.db')
  storage = await open()
})
afterEach(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

describe('SQLite keeps the PetRepository promises', () => {
  for (const { name, run } of petRepositoryContract) {
    it(name, () => run(storage.pets))
  }
})

describe('SQLite keeps the ApiKeyRepository promises', () => {
  for (const { name, run } of apiKeyRepositoryContract) {
    it(name, () => run(storage.apiKeys))
  }
})

describe('An SQLite storage', () => {
  it('holds the same pets when it is opened again', async () => {
    const added = await storage.pets.add(aNewPet({ status: 'sold' }))
    await storage.close()
    storage = await open()
    expect(await storage.pets.list({ limit: 2 })).toEqual([added])
  })

  it('stores what was begun before it closes', async () => {
    const adding = storage.pets.add(aNewPet())
    await storage.close()
    const added = await adding
    storage = await open()
    expect(await storage.pets.find(added.id)).toEqual(added)
  })

  it('does not give the id of a deleted pet again', async () => {
    await storage.pets.add(aNewPet())
    const last = await storage.pets.add(aNewPet())
    const other = new Database(path)
    other.prepare('delete from pet where id = ?').run(last.id)
    other.close()
    expect((await storage.pets.add(aNewPet())).id).toBe(last.id + 1n)
  })

  it('stores integers at the edges exactly, seen from outside as text', async () => {
    const { id } = await storage.pets.add(aNewPet({ categoryId: -(2n ** 63n) }))
    const other = new Database(path)
    const asText = other.prepare('select cast(category_id as text) from pet where id = ?').pluck()
    expect(asText.get(id)).toBe('-9223372036854775808')
    other.close()
  })

  it('finds nothing under ids beyond int64', async () => {
    await storage.pets.add(aNewPet())
    expect(await storage.pets.find(2n ** 63n)).toBeUndefined()
    expect(await storage.pets.find(2n ** 64n + 1n)).toBeUndefined()
    expect(await storage.pets.find(-(2n ** 63n) - 1n)).toBeUndefined()
  })

  it('rejects every call after it was closed', async () => {
    await storage.close()
    await expect(storage.pets.add(aNewPet())).rejects.toThrow('not open')
    await expect(storage.pets.find(1n)).rejects.toThrow('not open')
    await expect(storage.pets.list({ limit: 1 })).rejects.toThrow('not open')
    await expect(storage.check()).rejects.toThrow('not open')
  })

  it('fails its check when the table is gone', async () => {
    await storage.check()
    const other = new Database(path)
    other.exec('drop table pet')
    other.close()
    await expect(storage.check()).rejects.toThrow('no such table: pet')
  })
})
