import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'

describe('Writes of one turn of the event loop', () => {
  let database: Database.Database
  let log: string[]
  let commits: GroupCommit

  beforeEach(() => {
    log = []
    database = new Database(':memory:', { verbose: (sql) => log.push(String(sql)) })
    database.exec('create table note (text text not null unique)')
    commits = createGroupCommit(database)
    log.length = 0
  })
  afterEach(() => database.close())

  const write = (text: string | null) =>
    commits.add(() => database.prepare('insert into note values (?)').run(text).lastInsertRowid)
  const stored = () => database.prepare('select text from note order by text').pluck().all()

  it('share one transaction', async () => {
    await Promise.all([write('a'), write('b'), write('c')])
    expect(log[0]).toBe('begin immediate')
    expect(log.at(-1)).toBe('commit')
    expect(log).toHaveLength(5)
  })

  it('are answered one by one, with what each gave', async () => {
    expect(await Promise.all([write('a'), write('b')])).toEqual([1, 2])
  })

  it('are answered after the commit', async () => {
    await write('a').then(() => log.push('answered'))
    expect(log.slice(-2)).toEqual(['commit', 'answered'])
  })

  it('fail alone', async () => {
    const results = await Promise.allSettled([write('a'), write(null), write('a'), write('b')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(stored()).toEqual(['a', 'b'])
  })

  it('fail together when the transaction is lost, and leave nothing', async () => {
    const lost = commits.add(() => {
      // What SQLite does by itself when the disk is full.
      database.exec('rollback')
      throw new Error('disk full')
    })
    const results = await Promise.allSettled([write('a'), lost, write('b')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(stored()).toEqual([])
    await write('c')
    expect(stored()).toEqual(['c'])
  })

  it('fail together when the commit fails, and leave nothing', async () => {
    database.exec('pragma foreign_keys = on')
    database.exec('create table comment (note text references note (text) deferrable initially deferred)')
    const failing = commits.add(() => database.prepare("insert into comment values ('of nothing')").run())
    const results = await Promise.allSettled([write('a'), failing])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(stored()).toEqual([])
    await write('b')
    expect(stored()).toEqual(['b'])
  })

  it('wait for a transaction of somebody else on the same connection, and do not share its fate', async () => {
    database.exec('begin')
    const written = write('a')
    await new Promise((resolve) => setImmediate(resolve))
    database.exec('rollback')
    await written
    expect(stored()).toEqual(['a'])
  })

  it('can be committed at once', async () => {
    const written = write('a')
    commits.flush()
    expect(stored()).toEqual(['a'])
    expect(await written).toBe(1)
  })

  it('begin no transaction when there are none', () => {
    commits.flush()
    expect(log).toEqual([])
  })

  it('are refused when the database is closed', async () => {
    const written = write('a')
    database.close()
    await expect(written).rejects.toThrow('not open')
  })
})
