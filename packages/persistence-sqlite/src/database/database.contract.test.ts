import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { type FileMode, openSqliteDatabase } from './database.ts'

describe('opening an SQLite file', () => {
  let folder: string

  beforeAll(async () => {
    folder = await temporaryFolder()
  })

  it('opening an SQLite file creates it and its folders', async () => {
    const path = join(folder, 'new', 'deep', 'pets.db')
    const database = await openSqliteDatabase(path)
    database.close()
    expect(existsSync(path)).toBe(true)
  })

  it('opening an SQLite file sets full durability, a write-ahead log, no blocking', async () => {
    const path = join(folder, 'settings.db')
    const first = await openSqliteDatabase(path)
    first.close()
    // The driver chooses another level for a file that already has a write-ahead log.
    const database = await openSqliteDatabase(path)
    const setting = (name: string) => database.pragma(name, { simple: true })
    expect(setting('journal_mode')).toBe('wal')
    expect(setting('synchronous')).toBe(2) // full
    expect(setting('fullfsync')).toBe(1) // for macOS
    expect(setting('foreign_keys')).toBe(1)
    expect(setting('busy_timeout')).toBe(0)
    database.close()
  })

  it('opening an SQLite file waits for another connection without blocking Node', async () => {
    const path = join(folder, 'busy.db')
    const other = new Database(path)
    other.exec('begin exclusive')
    setTimeout(() => other.exec('commit'), 50)
    const database = await openSqliteDatabase(path)
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    database.close()
    other.close()
  })

  it.each([
    [
      'a file that is not a database',
      'Dear reader, '.repeat(100),
      'the file is not an SQLite database',
    ],
    ['a short file that is not a database', 'x', 'the file is not an SQLite database'],
    ['a folder', undefined, 'it is a folder'],
  ])('opening an SQLite file rejects %s', async (what, text, reason) => {
    const path = join(folder, what)
    if (text === undefined) mkdirSync(path)
    else writeFileSync(path, text)
    await expectRejection(path, reason)
  })

  it('opening an SQLite file names the file where a folder is needed', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const reason = `${JSON.stringify(file)} is a file; a folder of that name is needed`
    await expectRejection(join(file, 'new', 'pets.db'), reason)
  })

  it('opening an SQLite file creates nothing with create: false or readOnly', async () => {
    for (const mode of [{ create: false }, { readOnly: true }]) {
      const path = join(folder, 'missing', 'pets.db')
      await expectRejection(path, 'there is no such file', mode)
      expect(existsSync(dirname(path))).toBe(false)
    }
  })

  it('an SQLite file is read without writing, and leaves no file behind', async () => {
    const path = join(folder, 'read-only.db')
    const writable = await openSqliteDatabase(path)
    writable.exec("create table note (text text); insert into note values ('a')")
    writable.close()
    const before = { files: readdirSync(folder), bytes: readFileSync(path) }
    const database = await openSqliteDatabase(path, { readOnly: true })
    expect(database.prepare('select text from note').pluck().all()).toEqual(['a'])
    expect(() => database.exec("insert into note values ('b')")).toThrow('readonly')
    database.close()
    expect({ files: readdirSync(folder), bytes: readFileSync(path) }).toEqual(before)
  })

  async function expectRejection(path: string, reason: string, mode?: FileMode): Promise<void> {
    const error: unknown = await openSqliteDatabase(path, mode).catch((error: unknown) => error)
    if (!(error instanceof Error)) throw new Error('It was opened.')
    expect(error.message).toBe(
      `Cannot open the SQLite database ${JSON.stringify(path)}: ${reason}.`,
    )
    expect(error.cause).toBeInstanceOf(Error)
  }
})
