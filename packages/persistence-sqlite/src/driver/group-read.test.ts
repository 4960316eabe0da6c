import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGroupRead, type GroupRead } from './group-read.ts'

describe('Reads of one turn of the event loop', () => {
  let database: Database.Database
  let log: string[]
  let reads: GroupRead

  beforeEach(() => {
    log = []
    database = new Database(':memory:', { verbose: (sql) => log.push(String(sql)) })
    database.exec("create table note (text text); insert into note values ('a'), ('b')")
    reads = createGroupRead(database)
    log.length = 0
  })
  afterEach(() => database.close())

  const read = (place: number) =>
    reads.add(() => database.prepare(`select text from note where rowid = ${place}`).pluck().get())

  it('share one transaction, and each gets what it asked for', async () => {
    expect(await Promise.all([read(1), read(2), read(3)])).toEqual(['a', 'b', undefined])
    expect(log[0]).toBe('begin')
    expect(log.at(-1)).toBe('commit')
    expect(log).toHaveLength(5)
    expect(database.inTransaction).toBe(false)
  })

  it('begin no transaction for one alone', async () => {
    expect(await read(1)).toBe('a')
    expect(log).toHaveLength(1)
  })

  it('fail alone', async () => {
    const lost = reads.add(() => {
      throw new Error('not readable')
    })
    const results = await Promise.allSettled([read(1), lost, read(2)])
    expect(results).toMatchObject([{ value: 'a' }, { reason: new Error('not readable') }, { value: 'b' }])
    expect(database.inTransaction).toBe(false)
  })

  it('go on where a fault has ended the transaction', async () => {
    const lost = reads.add(() => {
      // What SQLite does by itself when the disk cannot be read.
      database.exec('rollback')
      throw new Error('disk I/O error')
    })
    const results = await Promise.allSettled([lost, read(2)])
    expect(results).toMatchObject([{ status: 'rejected' }, { value: 'b' }])
    expect(await Promise.all([read(1), read(2)])).toEqual(['a', 'b'])
  })

  it('leave a transaction of somebody else alone', async () => {
    database.exec("begin; insert into note values ('c')")
    expect(await Promise.all([read(1), read(3)])).toEqual(['a', 'c'])
    expect(database.inTransaction).toBe(true)
    database.exec('rollback')
  })

  it('can be run at once, before the database is closed', async () => {
    const answers = Promise.all([read(1), read(2)])
    reads.flush()
    database.close()
    expect(await answers).toEqual(['a', 'b'])
  })
})
