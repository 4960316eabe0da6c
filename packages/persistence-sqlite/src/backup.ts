import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { createFolder, openSqliteDatabase } from './database.ts'
import { isBusy } from './driver/retry-while-busy.ts'
import { assertNoNewerSchema, hasMigrations } from './migrations.ts'
import { MEMORY, type SqliteOptions, sqlitePath } from './settings.ts'

/** What a backup holds. */
export interface SqliteBackup {
  readonly pets: number
}

/** A restored database. */
export interface RestoredSqlite extends SqliteBackup {
  /** Where the database is now that was there before; absent if there was none. */
  readonly previousFile?: string
}

/**
 * Writes a consistent copy of a database to a file, even while a service writes to it, and checks the copy. An existing
 * file is replaced when the copy is complete. Rejects with one sentence.
 */
export async function backupSqlite({ url }: Pick<SqliteOptions, 'url'>, file: string): Promise<SqliteBackup> {
  return copyTo(file, sqlitePath(url))
}

/**
 * Puts a backup in the place of a database, which must not be open anywhere. An existing database is kept under another
 * name. Rejects with one sentence, and changes nothing, if the backup is damaged, of another program or of a newer version.
 */
export async function restoreSqlite({ url }: Pick<SqliteOptions, 'url'>, file: string): Promise<RestoredSqlite> {
  const path = sqlitePath(url)
  if (path === MEMORY) throw new Error('A backup cannot be restored into memory.')
  await expectBackup(file)
  if (!existsSync(path)) {
    createFolder(dirname(path))
    return copyTo(path, file)
  }
  await expectUnused(path)
  const previousFile = `${path}.${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  return { ...(await copyTo(path, file, () => renameSync(path, previousFile))), previousFile }
}

/** Writes to a temporary file beside the final one, which takes its name once it is checked and on the disk. */
async function copyTo(file: string, from: string, beforeRename: () => void = () => {}): Promise<SqliteBackup> {
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`Cannot write ${JSON.stringify(file)}: there is no folder ${JSON.stringify(folder)}.`)
  }
  const temporary = `${file}.${process.pid}.tmp`
  const source = await openSqliteDatabase(from, { readOnly: true })
  try {
    // The statement writes another file only, but is rejected in this mode.
    source.pragma('query_only = off')
    source.prepare('vacuum into ?').run(temporary)
    const pets = checkCopy(temporary)
    sync(temporary)
    beforeRename()
    renameSync(temporary, file)
    return { pets }
  } catch (error) {
    throw new Error(`Cannot write ${JSON.stringify(file)}: ${messageOf(error)}.`, { cause: error })
  } finally {
    source.close()
    rmSync(temporary, { force: true })
  }
}

/** Returns the number of pets. */
function checkCopy(file: string): number {
  const copy = new Database(file, { readonly: true })
  try {
    const result = copy.pragma('integrity_check', { simple: true })
    if (result !== 'ok') throw new Error(`the copy is damaged (${String(result)})`)
    return copy.prepare('select count(*) from pet').pluck().get() as number
  } finally {
    copy.close()
  }
}

async function expectBackup(file: string): Promise<void> {
  const database = await openSqliteDatabase(file, { readOnly: true })
  try {
    if (!hasMigrations(database)) throw new Error(`${JSON.stringify(file)} is no database of a pet store.`)
    assertNoNewerSchema(database)
  } finally {
    database.close()
  }
}

/** In WAL mode every connection holds a lock; only without any can the mode be changed. Also moves the log into the file. */
async function expectUnused(path: string): Promise<void> {
  const database = new Database(path, { timeout: 0 })
  try {
    database.pragma('journal_mode = delete')
  } catch (error) {
    if (!isBusy(error)) throw error
    throw new Error(`The database ${JSON.stringify(path)} is in use. Stop the service first.`, { cause: error })
  } finally {
    database.close()
  }
}

function sync(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
