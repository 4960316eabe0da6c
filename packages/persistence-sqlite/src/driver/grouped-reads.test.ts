import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AddRead, createGroupedReads } from './grouped-reads.ts'

describe('Grouped reads', () => {
  let database: Database.Database
  let log: string[]
  let addRead: AddRead

  beforeEach(() => {
    log = []
    database = new Database(':memory:', { verbose: (sql) => log.push(String(sql)) })
    database.exec("create table note (text text); insert into note values ('a'), ('b')")
    addRead = createGroupedReads(database)
    log.length = 0
  })
  afterEach(() => database.close())

  const read = (row: number) =>
    addRead(() => database.prepare(`select text from note where rowid = ${row}`).pluck().get())

  it('the reads of one turn are one transaction, each with its own result', async () => {
    expect(await Promise.all([read(1), read(2), read(3)])).toEqual(['a', 'b', undefined])
    expect(log[0]).toBe('begin')
    expect(log.at(-1)).toBe('commit')
    expect(log).toHaveLength(5)
    expect(database.inTransaction).toBe(false)
  })

  it('a single read begins no transaction', async () => {
    expect(await read(1)).toBe('a')
    expect(log).toHaveLength(1)
  })

  it('a read that fails is rejected alone', async () => {
    const lost = addRead(() => {
      throw new Error('not readable')
    })
    const results = await Promise.allSettled([read(1), lost, read(2)])
    expect(results).toMatchObject([
      { value: 'a' },
      { reason: new Error('not readable') },
      { value: 'b' },
    ])
    expect(database.inTransaction).toBe(false)
  })

  it('reads continue when a disk error has ended the transaction', async () => {
    const lost = addRead(() => {
      // What SQLite does by itself when the disk cannot be read.
      database.exec('rollback')
      throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR')
    })
    const results = await Promise.allSettled([lost, read(2)])
    expect(results).toMatchObject([{ reason: { code: 'persistence_unavailable' } }, { value: 'b' }])
    expect(await Promise.all([read(1), read(2)])).toEqual(['a', 'b'])
  })

  it('a read is retried while another process recovers the log', async () => {
    let attempts = 0
    const retried = addRead(() => {
      attempts += 1
      if (attempts === 1)
        throw new Database.SqliteError('database is locked', 'SQLITE_BUSY_RECOVERY')
      return attempts
    })
    expect(await Promise.all([retried, read(1)])).toEqual([2, 'a'])
  })
})
