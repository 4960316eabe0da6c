import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { WaitingLimits } from '@pet-store/persistence-mikro-orm'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GroupedWrites } from './grouped-writes.ts'

const NOT_STORED = { code: 'persistence_unavailable', outcome: 'not_stored' }

describe('Grouped writes', () => {
  let database: Database.Database
  let log: string[]
  let writes: GroupedWrites

  beforeEach(() => {
    log = []
    database = new Database(':memory:', { verbose: (sql) => log.push(String(sql)) })
    database.exec('create table note (text text not null unique)')
    writes = new GroupedWrites(database)
    log.length = 0
  })
  afterEach(() => database.close())

  const insert = (text: string) => () => database.prepare('insert into note values (?)').run(text).lastInsertRowid
  const write = (text: string) => writes.add(insert(text), 0)
  const stored = () => database.prepare('select text from note order by text').pluck().all()

  it('runs the writes of one turn in one transaction, and resolves each with its result after the commit', async () => {
    const results = [write('a'), write('b'), write('c').finally(() => log.push('resolved'))]
    expect(await Promise.all(results)).toEqual([1, 2, 3])
    expect(log[0]).toBe('begin immediate')
    expect(log.slice(-2)).toEqual(['commit', 'resolved'])
    expect(log).toHaveLength(6)
  })

  it('rejects every write and stores nothing when the transaction is lost', async () => {
    const lost = writes.add(() => {
      // What SQLite does by itself when the disk is full.
      database.exec('rollback')
      throw new Database.SqliteError('disk full', 'SQLITE_FULL')
    }, 0)
    const results = await Promise.allSettled([write('a'), lost, write('b')])
    expect(results).toMatchObject(Array(3).fill({ status: 'rejected', reason: NOT_STORED }))
    expect(stored()).toEqual([])
    await write('c')
    expect(stored()).toEqual(['c'])
  })

  it('rejects every write and stores nothing when the commit fails', async () => {
    database.exec('pragma foreign_keys = on')
    database.exec('create table comment (note text references note (text) deferrable initially deferred)')
    const failing = writes.add(() => database.prepare("insert into comment values ('of nothing')").run(), 0)
    const results = await Promise.allSettled([write('a'), failing])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(stored()).toEqual([])
    await write('b')
    expect(stored()).toEqual(['b'])
  })

  it('rejects with an unknown outcome when the disk fails during the commit', async () => {
    const written = write('a')
    const exec = database.exec.bind(database)
    database.exec = (sql) => {
      if (sql === 'commit') throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
      return exec(sql)
    }
    await expect(written).rejects.toMatchObject({ code: 'persistence_unavailable', outcome: 'unknown' })
  })

  it('stores nothing when the file is gone', async () => {
    const missing = new GroupedWrites(database, () => {
      throw new Error('The file was moved.')
    })
    await expect(missing.add(insert('a'), 0)).rejects.toThrow('The file was moved.')
    expect(stored()).toEqual([])
  })
})

describe('Grouped writes while another process writes', () => {
  let folder: string
  let database: Database.Database
  let other: Database.Database

  beforeEach(async () => {
    folder = await temporaryFolder()
    const path = join(folder, 'notes.db')
    database = new Database(path, { timeout: 0 })
    database.pragma('journal_mode = wal')
    database.exec('create table note (text text)')
    other = new Database(path)
    other.exec('begin immediate')
  })
  afterEach(() => {
    other.close()
    database.close()
  })

  const open = (limits: Partial<WaitingLimits> = {}) => {
    const writes = new GroupedWrites(database, () => {}, {
      maxStatements: 100,
      maxBytes: 10_000,
      maxWaitMs: 60_000,
      ...limits,
    })
    return (text: string, cancellation?: { readonly aborted: boolean }) =>
      writes.add(() => database.prepare('insert into note values (?)').run(text), text.length, cancellation)
  }
  const stored = () => database.prepare('select text from note order by text').pluck().all()

  it('lets timers and reads run, and stores the writes when the lock is free', async () => {
    const write = open()
    const written = Promise.all([write('a'), write('b')])
    await setTimeout(30)
    expect(stored()).toEqual([])
    const later = write('c')
    other.exec('commit')
    await Promise.all([written, later])
    expect(stored()).toEqual(['a', 'b', 'c'])
  })

  it('rejects a write that waited longer than the limit', async () => {
    await expect(open({ maxWaitMs: 20 })('a')).rejects.toMatchObject(NOT_STORED)
    other.exec('commit')
    await setTimeout(30)
    expect(stored()).toEqual([])
  })

  it.each([{ maxStatements: 2 }, { maxBytes: 2 }])('rejects the write beyond %o at once', async (limit) => {
    const write = open(limit)
    const waiting = [write('a'), write('b')]
    await expect(write('c')).rejects.toMatchObject(NOT_STORED)
    other.exec('commit')
    await Promise.all(waiting)
    expect(stored()).toEqual(['a', 'b'])
    await write('d')
  })

  it('drops a write that was cancelled while it waited', async () => {
    const write = open()
    const cancelled = new AbortController()
    const dropped = write('a', cancelled.signal)
    const kept = write('b')
    await setTimeout(5)
    cancelled.abort()
    other.exec('commit')
    await expect(dropped).rejects.toMatchObject(NOT_STORED)
    await kept
    expect(stored()).toEqual(['b'])
  })
})
