import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteDatabase } from '../database.ts'
import { whileWriting } from './write-lock.ts'

describe('Work under the write lock', () => {
  let database: Database

  beforeEach(async () => {
    database = await openSqliteDatabase(':memory:')
  })
  afterEach(() => database.close())

  const makeTable = async () => database.exec('create table note (text)').inTransaction
  const tables = () => database.prepare('select name from sqlite_schema').pluck().all()

  it('is kept when it ends with a commit', async () => {
    expect(await whileWriting(database, 'commit', makeTable)).toBe(true)
    expect(database.inTransaction).toBe(false)
    expect(tables()).toEqual(['note'])
  })

  it('is undone when it ends with a rollback', async () => {
    expect(await whileWriting(database, 'rollback', makeTable)).toBe(true)
    expect(database.inTransaction).toBe(false)
    expect(tables()).toEqual([])
  })

  it('is undone when it fails', async () => {
    const failing = whileWriting(database, 'commit', async () => {
      await makeTable()
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(database.inTransaction).toBe(false)
    expect(tables()).toEqual([])
  })

  it('leaves the busy timeout as it was', async () => {
    await whileWriting(database, 'commit', makeTable)
    expect(database.pragma('busy_timeout', { simple: true })).toBe(5000)
  })
})
