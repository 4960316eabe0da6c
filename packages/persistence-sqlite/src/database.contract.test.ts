import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteDatabase } from './database.ts'

describe('Opening an SQLite file', () => {
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('makes the file and its folders', async () => {
    const path = join(folder, 'new', 'deep', 'pets.db')
    const database = await openSqliteDatabase(path)
    database.close()
    expect(existsSync(path)).toBe(true)
  })

  it('sets what durability, readers and other processes need', async () => {
    const path = join(folder, 'settings.db')
    const first = await openSqliteDatabase(path)
    first.close()
    // The driver's own level is another one for a file that has a write-ahead log already.
    const database = await openSqliteDatabase(path)
    const setting = (name: string) => database.pragma(name, { simple: true })
    expect(setting('journal_mode')).toBe('wal')
    expect(setting('synchronous')).toBe(2) // full
    expect(setting('foreign_keys')).toBe(1)
    expect(setting('busy_timeout')).toBe(5000)
    database.close()
  })

  it('takes an empty file', async () => {
    const path = join(folder, 'empty.db')
    writeFileSync(path, '')
    const database = await openSqliteDatabase(path)
    database.close()
  })

  it('waits for another connection, without holding up its own process', async () => {
    const path = join(folder, 'busy.db')
    const other = new Database(path)
    other.exec('begin exclusive')
    setTimeout(() => other.exec('commit'), 50)
    const database = await openSqliteDatabase(path)
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    database.close()
    other.close()
  })

  it('refuses a file that is no database', async () => {
    const path = join(folder, 'letter.txt')
    writeFileSync(path, 'Dear reader, '.repeat(100))
    await expectRefusal(path, 'the file is not an SQLite database')
  })

  it('refuses a short file that is no database', async () => {
    const path = join(folder, 'note.txt')
    writeFileSync(path, 'x')
    await expectRefusal(path, 'the file is not an SQLite database')
  })

  it('refuses a folder', async () => {
    const path = join(folder, 'folder.db')
    mkdirSync(path)
    await expectRefusal(path, 'it is a folder')
  })

  it('refuses a path whose folder cannot be made', async () => {
    writeFileSync(join(folder, 'file'), '')
    await expectRefusal(join(folder, 'file', 'pets.db'), /^EEXIST: |^ENOTDIR: /)
  })

  async function expectRefusal(path: string, reason: string | RegExp): Promise<void> {
    const error: unknown = await openSqliteDatabase(path).catch((error: unknown) => error)
    if (!(error instanceof Error)) throw new Error('It was opened.')
    const beginning = `Cannot open the SQLite database ${JSON.stringify(path)}: `
    expect(error.message.slice(0, beginning.length)).toBe(beginning)
    expect(error.message.slice(beginning.length)).toMatch(reason)
    expect(error.message).toMatch(/[^.]\.$/)
    expect(error.cause).toBeInstanceOf(Error)
  }
})
