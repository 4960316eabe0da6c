import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGroupedWrites, type GroupedWrites } from './grouped-writes.ts'

const MANY_ROWS = `
  insert into note
  with recursive row(number) as (select 1 union all select number + 1 from row where number < 99)
  select number || hex(zeroblob(500)) from row`
const NOT_STORED = { code: 'persistence_unavailable', outcome: 'not_stored' }

describe('Grouped writes', () => {
  let database: Database.Database
  let log: string[]
  let writes: GroupedWrites

  beforeEach(() => {
    log = []
    database = new Database(':memory:', { verbose: (sql) => log.push(String(sql)) })
    database.exec('create table note (text text not null unique)')
    writes = createGroupedWrites(database)
    log.length = 0
  })
  afterEach(() => database.close())

  const insert = (text: string) => () =>
    database.prepare('insert into note values (?)').run(text).lastInsertRowid
  const write = (text: string) => writes.add(insert(text), [])
  const stored = () => database.prepare('select text from note order by text').pluck().all()
  const trialWrites = async () => {
    log.length = 0
    await writes.assertTakesWrites()
    return log.filter((sql) => sql.includes('user_version =')).length
  }

  it('grouped writes are one transaction, and each resolves after the commit', async () => {
    const results = [write('a'), write('b'), write('c').finally(() => log.push('resolved'))]
    expect(await Promise.all(results)).toEqual([1, 2, 3])
    expect(log[0]).toBe('begin immediate')
    expect(log.slice(-2)).toEqual(['commit', 'resolved'])
    expect(log).toHaveLength(6)
  })

  it('grouped writes are all rejected and store nothing when the transaction is lost', async () => {
    const lost = writes.add(() => {
      // What SQLite does by itself when the disk is full.
      database.exec('rollback')
      throw new Database.SqliteError('disk full', 'SQLITE_FULL')
    }, [])
    const results = await Promise.allSettled([write('a'), lost, write('b')])
    expect(results).toMatchObject(Array(3).fill({ status: 'rejected', reason: NOT_STORED }))
    expect(stored()).toEqual([])
    await write('c')
    expect(stored()).toEqual(['c'])
  })

  it('grouped writes are all rejected and store nothing when the commit fails', async () => {
    database.exec('pragma foreign_keys = on')
    database.exec(
      'create table comment (note text references note (text) deferrable initially deferred)',
    )
    const failing = writes.add(
      () => database.prepare("insert into comment values ('of nothing')").run(),
      [],
    )
    const results = await Promise.allSettled([write('a'), failing])
    expect(results).toMatchObject(Array(2).fill({ status: 'rejected', reason: NOT_STORED }))
    expect(stored()).toEqual([])
    await write('b')
    expect(stored()).toEqual(['b'])
  })

  it('a write of many rows that fills the disk is unavailable, alone in its group', async () => {
    const pages = database.pragma('page_count', { simple: true })
    database.pragma(`max_page_count = ${Number(pages) + 1}`)
    const many = writes.add(() => database.prepare(MANY_ROWS).run(), [])
    const results = await Promise.allSettled([many, write('a')])
    expect(results).toMatchObject([
      { status: 'rejected', reason: { ...NOT_STORED, cause: { code: 'SQLITE_FULL' } } },
      { status: 'fulfilled' },
    ])
    expect(stored()).toEqual(['a'])
    expect(await trialWrites()).toBe(1)
  })

  it.each([
    ['full disk', 'SQLITE_FULL'],
    ['quota', 'SQLITE_IOERR_WRITE'],
    ['disk that became read-only', 'SQLITE_READONLY'],
  ])('grouped writes try again after a %s until a page is written', async (_, code) => {
    expect(await trialWrites()).toBe(0)
    const failed = writes.add(() => {
      throw new Database.SqliteError('failed', code)
    }, [])
    await expect(failed).rejects.toMatchObject(NOT_STORED)
    await writes.add(() => 'changes nothing', [])
    database.pragma('query_only = on')
    await expect(writes.assertTakesWrites()).rejects.toMatchObject(NOT_STORED)
    database.pragma('query_only = off')
    expect(await trialWrites()).toBe(1)
    expect(await trialWrites()).toBe(0)
  })

  it('grouped writes of different turns share a transaction after a slow commit', async () => {
    const exec = database.exec.bind(database)
    database.exec = (sql) => {
      if (sql === 'commit') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      return exec(sql)
    }
    await write('a')
    log.length = 0
    const first = write('b')
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    await Promise.all([first, write('c')])
    expect(log.filter((sql) => sql === 'commit')).toHaveLength(1)
    expect(stored()).toEqual(['a', 'b', 'c'])
  })

  it('grouped writes have an unknown outcome when the disk fails during the commit', async () => {
    const written = write('a')
    const exec = database.exec.bind(database)
    database.exec = (sql) => {
      if (sql === 'commit') throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
      return exec(sql)
    }
    await expect(written).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'unknown',
    })
  })
})

describe('While another process writes, grouped writes', () => {
  let database: Database.Database
  let other: Database.Database

  beforeEach(async () => {
    const path = join(await temporaryFolder(), 'notes.db')
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

  const open = (maxWaitMs = 60_000) => {
    const { add: addWrite } = createGroupedWrites(database, { maxWaitMs })
    return (text: string) =>
      addWrite(() => database.prepare('insert into note values (?)').run(text), [text])
  }
  const stored = () => database.prepare('select text from note order by text').pluck().all()

  it('timers and reads go on while grouped writes wait for another process', async () => {
    const write = open()
    const written = Promise.all([write('a'), write('b')])
    await setTimeout(30)
    expect(stored()).toEqual([])
    const later = write('c')
    other.exec('commit')
    await Promise.all([written, later])
    expect(stored()).toEqual(['a', 'b', 'c'])
  })

  it('grouped writes are rejected and not stored later when they waited too long', async () => {
    await expect(open(20)('a')).rejects.toMatchObject(NOT_STORED)
    other.exec('commit')
    await open()('b')
    expect(stored()).toEqual(['b'])
  })
})
