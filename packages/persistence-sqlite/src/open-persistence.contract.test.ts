import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aNewPet } from '@pet-store/persistence-testing'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlitePersistence, type SqlitePersistence } from './open-persistence.ts'

let folder: string
let path: string
let persistence: SqlitePersistence

const open = () => openSqlitePersistence({ url: `sqlite:${path}`, mode: 'migrate' })

beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder, 'pets.db')
  persistence = await open()
})
afterEach(async () => {
  await persistence.close()
})

// The contract of the whole adapter: tools/docs/adapters-page.contract.test.ts.
describe('SQLite persistence', () => {
  it('a closed SQLite database rejects every call', async () => {
    await persistence.close()
    await expect(persistence.pets.add(aNewPet())).rejects.toThrow('not open')
    await expect(persistence.pets.find(1n)).rejects.toThrow('not open')
    await expect(persistence.pets.list({ limit: 1 })).rejects.toThrow('not open')
    await expect(persistence.check()).rejects.toThrow('not open')
  })

  it('an SQLite database fails its check when the table was dropped', async () => {
    await persistence.check()
    const other = new Database(path)
    other.exec('drop table pet')
    other.close()
    await expect(persistence.check()).rejects.toThrow('no such table: pet')
  })

  it('an SQLite database with exhausted ids is not ready, and stores nothing', async () => {
    await persistence.pets.add(aNewPet())
    await persistence.check()
    const other = new Database(path)
    other.exec('update sqlite_sequence set seq = 9223372036854775807')
    other.close()
    await expect(persistence.check()).rejects.toThrow('There are no more ids for pets.')
    await expect(persistence.pets.add(aNewPet())).rejects.toMatchObject({ outcome: 'not_stored' })
  })

  it('an SQLite database is unavailable while its file is moved, and works after', async () => {
    await persistence.pets.add(aNewPet())
    renameSync(path, `${path}.moved`)
    const moved = {
      code: 'persistence_unavailable',
      message: expect.stringContaining('was moved') as string,
    }
    await expect(persistence.check()).rejects.toMatchObject(moved)
    await expect(persistence.pets.add(aNewPet())).rejects.toMatchObject({
      ...moved,
      outcome: 'not_stored',
    })
    // Another file under the same name is not the database either.
    writeFileSync(path, '')
    await expect(persistence.check()).rejects.toMatchObject(moved)
    renameSync(`${path}.moved`, path)
    await persistence.check()
    expect((await persistence.pets.add(aNewPet())).id).toBe(2n)
  })

  it('an SQLite database stores pets that wait for another process before it closes', async () => {
    const other = new Database(path)
    other.exec('begin immediate')
    const adding = persistence.pets.add(aNewPet())
    const closing = persistence.close()
    other.exec('commit')
    await closing
    expect(other.prepare('select count(*) from pet').pluck().get()).toBe(1)
    other.close()
    await adding
  })
})
