import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inWriteTransaction } from './transaction.ts'

let database: Database.Database

beforeEach(() => {
  database = new Database(':memory:')
  database.exec('create table note (text text not null)')
})
afterEach(() => {
  database.close()
})

const insert = (text: string) => database.prepare('insert into note values (?)').run(text)
const stored = () => database.prepare('select count(*) from note').pluck().get()

it('a transaction of many rows that fills the disk is unavailable, storing none', async () => {
  const pages = database.pragma('page_count', { simple: true })
  database.pragma(`max_page_count = ${Number(pages) + 1}`)
  const writing = inWriteTransaction(database, () => {
    for (let row = 0; row < 100; row += 1) insert('a'.repeat(1_000))
  })
  await expect(writing).rejects.toMatchObject({
    code: 'persistence_unavailable',
    outcome: 'not_stored',
    cause: { code: 'SQLITE_FULL' },
  })
  expect(stored()).toBe(0)
  await inWriteTransaction(database, () => void insert('b'))
  expect(stored()).toBe(1)
})

it('a transaction whose work fails rejects with that error, and stores nothing', async () => {
  const failing = inWriteTransaction(database, () => {
    insert('a')
    throw new Error('invalid')
  })
  await expect(failing).rejects.toThrow('invalid')
  expect(stored()).toBe(0)
})
