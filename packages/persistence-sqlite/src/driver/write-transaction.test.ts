import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inWriteTransaction } from './write-transaction.ts'

describe('write transaction', () => {
  let database: Database.Database

  beforeEach(() => {
    database = new Database(':memory:')
  })
  afterEach(() => database.close())

  const createTable = async () => database.exec('create table note (text)').inTransaction
  const tables = () => database.prepare('select name from sqlite_schema').pluck().all()

  it('commits the work', async () => {
    expect(await inWriteTransaction(database, createTable)).toBe(true)
    expect(database.inTransaction).toBe(false)
    expect(tables()).toEqual(['note'])
  })

  it('rolls back work that fails', async () => {
    const failing = inWriteTransaction(database, async () => {
      await createTable()
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(database.inTransaction).toBe(false)
    expect(tables()).toEqual([])
  })
})
