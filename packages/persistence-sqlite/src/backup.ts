import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { openSqliteDatabase, withSqliteDatabase } from './database/database.ts'
import { isBusy } from './database/failures.ts'
import { createFolder, syncFile, syncFolder } from './database/file-access.ts'
import { MEMORY, type SqliteOptions, sqlitePath } from './database/settings.ts'
import { assertPetStore } from './migrations.ts'

export interface SqliteBackup {
  readonly pets: number
}

export interface RestoredSqlite extends SqliteBackup {
  /** Where the database is now that was there before; absent if there was none. */
  readonly previousFile?: string
}

/**
 * Writes a consistent copy of a database to a file, even while a service writes to it, and checks
 * the copy. An existing file is replaced when the copy is complete. Rejects with one sentence.
 */
export async function backupSqlite(
  { url }: Pick<SqliteOptions, 'url'>,
  file: string,
): Promise<SqliteBackup> {
  // A link stays one.
  return copyTo(existsSync(file) ? realpathSync(file) : file, sqlitePath(url))
}

/**
 * Replaces a database, which must not be open anywhere, by a backup. An existing database, even a
 * damaged one, is kept under another name; at every moment one of the two has its name. Rejects
 * with one sentence, and changes nothing, if the backup is damaged, of another program or of a
 * newer version.
 */
export async function restoreSqlite(
  { url }: Pick<SqliteOptions, 'url'>,
  file: string,
): Promise<RestoredSqlite> {
  const named = sqlitePath(url)
  if (named === MEMORY) throw new Error('A backup cannot be restored into memory.')
  await withSqliteDatabase(file, { readOnly: true }, assertPetStore)
  if (!existsSync(named)) {
    createFolder(dirname(named))
    return copyTo(named, file)
  }
  // A link stays one.
  const path = lstatSync(named).isSymbolicLink() ? realpathSync(named) : named
  assertUnused(path)
  const previousFile = `${path}.${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  return { ...(await copyTo(path, file, () => keep(path, previousFile))), previousFile }
}

/**
 * Gives a database a second name. The log of a damaged one, which would be applied to the next, has
 * only that one then.
 */
function keep(path: string, previousFile: string): void {
  try {
    linkSync(path, previousFile)
  } catch {
    // Not every file system has links.
    copyFileSync(path, previousFile)
    syncFile(previousFile)
  }
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${previousFile}-wal`)
  rmSync(`${path}-shm`, { force: true })
}

/**
 * Writes to a temporary file beside the final one, which takes its name once it is checked and on
 * the disk.
 */
async function copyTo(
  file: string,
  from: string,
  beforeRename: () => void = () => {},
): Promise<SqliteBackup> {
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(
      `Cannot write ${JSON.stringify(file)}: there is no folder ${JSON.stringify(folder)}.`,
    )
  }
  const temporary = `${file}.${process.pid}.tmp`
  const source = await openSqliteDatabase(from, { readOnly: true })
  try {
    const existing = statSync(file, { throwIfNoEntry: false })
    if (existing?.isFile() === false) throw new Error('it is a folder or a device')
    if (existing && realpathSync(file) === realpathSync(from))
      throw new Error('it is the database itself')
    removeLeftovers(file)
    // The statement writes another file only, but is rejected in this mode.
    source.pragma('query_only = off')
    source.prepare('vacuum into ?').run(temporary)
    const pets = checkCopy(temporary)
    syncFile(temporary)
    beforeRename()
    renameSync(temporary, file)
    syncFolder(folder)
    return { pets }
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, '')
    throw new Error(`Cannot write ${JSON.stringify(file)}: ${reason}.`, { cause: error })
  } finally {
    source.close()
    rmSync(temporary, { force: true })
  }
}

/** Removes the temporary files of processes that were killed. */
function removeLeftovers(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    if (!name.startsWith(`${basename(file)}.`)) continue
    const [, pid] = /^\.(\d+)\.tmp(?:-journal)?$/.exec(name.slice(basename(file).length)) ?? []
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(dirname(file), name), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
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

/**
 * In WAL mode every connection holds a lock; only without any can the mode be changed. Also moves
 * the log into the file. A damaged file may be replaced: nothing can be learned from it.
 */
function assertUnused(path: string): void {
  const database = new Database(path, { timeout: 0 })
  try {
    database.pragma('journal_mode = delete')
  } catch (error) {
    if (!isBusy(error)) return
    throw new Error(`The database ${JSON.stringify(path)} is in use. Stop the service first.`, {
      cause: error,
    })
  } finally {
    database.close()
  }
}
