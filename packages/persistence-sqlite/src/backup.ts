import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { openSqliteDatabase, withSqliteDatabase } from './database/database.ts'
import { isBusy } from './database/failures.ts'
import {
  assertDatabaseFile,
  assertOneName,
  createFolder,
  syncFile,
  syncFolder,
} from './database/file-access.ts'
import {
  assertNoOrphanedLog,
  hasOwnLog,
  LOGS,
  linkTarget,
  logsBeside,
  removeLogs,
} from './database/logs.ts'
import { MEMORY, type SqliteOptions, sqlitePath } from './database/settings.ts'
import { assertPetStore } from './migrations.ts'

export interface SqliteBackup {
  readonly pets: number
}

export interface RestoredSqlite extends SqliteBackup {
  /** Where everything is kept that was there before: the database and its logs. */
  readonly previousFiles: readonly string[]
}

/**
 * Writes a consistent copy of a database to a file, even while a service writes to it, and checks
 * the copy. An existing file is replaced when the copy is complete, and its log is removed. Rejects
 * with one sentence.
 */
export async function backupSqlite(
  { url }: Pick<SqliteOptions, 'url'>,
  file: string,
): Promise<SqliteBackup> {
  const path = sqlitePath(url)
  assertOneName(path)
  return copyTo(linkTarget(file), path, removeLogs)
}

/**
 * Replaces a database, which must not be open anywhere, by a backup. An existing database, even a
 * damaged one, is kept under another name, and so is a log without one; at every moment one of the
 * two databases has its name. Rejects with one sentence, and changes nothing, if the backup is
 * damaged, of another program or of a newer version.
 */
export async function restoreSqlite(
  { url }: Pick<SqliteOptions, 'url'>,
  file: string,
): Promise<RestoredSqlite> {
  const named = sqlitePath(url)
  if (named === MEMORY) throw new Error('A backup cannot be restored into memory.')
  await withSqliteDatabase(file, { readOnly: true }, assertPetStore)
  const path = linkTarget(named)
  createFolder(dirname(path))
  const previousFiles: string[] = []
  const { pets } = await copyTo(path, file, () => previousFiles.push(...keepFiles(path)))
  return { pets, previousFiles }
}

/**
 * Gives a database a second name, and its logs, which would be applied to the next one, only that.
 * Returns the new names.
 */
function keepFiles(path: string): readonly string[] {
  const logs = logsBeside(path)
  if (!existsSync(path) && logs.length === 0) return []
  const kept = keepUnderFreeName(path)
  for (const log of logs) renameSync(log, log.replace(path, kept))
  removeLogs(path)
  return [kept, ...logs.map((log) => log.replace(path, kept))].filter((name) => existsSync(name))
}

/** Returns a name that no file had, nor the log of one. */
function keepUnderFreeName(path: string): string {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  for (let attempt = 1; ; attempt += 1) {
    const name = attempt === 1 ? `${path}.${time}` : `${path}.${time}-${attempt}`
    if (LOGS.some((log) => existsSync(`${name}${log}`))) continue
    try {
      if (existsSync(path)) linkOrCopy(path, name)
      return name
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** What a file system that has no links reports, and one of a file that has too many. */
const NO_LINKS: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Never replaces a file. */
function linkOrCopy(path: string, name: string): void {
  try {
    linkSync(path, name)
  } catch (error) {
    if (!NO_LINKS.includes((error as NodeJS.ErrnoException).code)) throw error
    copyFileSync(path, name, constants.COPYFILE_EXCL)
    syncFile(name)
  }
}

/**
 * Writes to a temporary file beside the final one, which takes its name once it is checked and on
 * the disk. Nobody else can open the final one meanwhile.
 */
async function copyTo(
  file: string,
  from: string,
  beforeRename: (file: string) => void,
): Promise<SqliteBackup> {
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(
      `Cannot write ${JSON.stringify(file)}: there is no folder ${JSON.stringify(folder)}.`,
    )
  }
  const temporary = `${file}.${process.pid}.tmp`
  const source = await openSqliteDatabase(from, { readOnly: true })
  let lock: Database.Database | undefined
  try {
    const existing = statSync(file, { throwIfNoEntry: false })
    if (existing?.isFile() === false) throw new Error('it is a folder or a device')
    if (existing && isSameFile(file, from)) throw new Error('it is the database itself')
    lock = lockDatabase(file)
    removeLeftovers(file)
    // The statement writes another file only, but is rejected in this mode.
    source.pragma('query_only = off')
    source.prepare('vacuum into ?').run(temporary)
    const pets = checkCopy(temporary)
    syncFile(temporary)
    // A service may have created it while it was not there.
    lock ??= lockDatabase(file)
    beforeRename(file)
    renameSync(temporary, file)
    syncFolder(folder)
    return { pets }
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, '')
    throw new Error(`Cannot write ${JSON.stringify(file)}: ${reason}.`, { cause: error })
  } finally {
    source.close()
    // SQLite leaves everything as it is when the file has another name by now.
    lock?.close()
    rmSync(temporary, { force: true })
  }
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => statSync(file, { bigint: true }))
  return first?.dev === second?.dev && first?.ino === second?.ino
}

/**
 * Keeps every other process from opening a database, until the connection that this returns is
 * closed. Throws if one has it open. The log of a sound database is moved into the file. From a
 * file that is no database nothing can be learned: it is not locked.
 */
function lockDatabase(path: string): Database.Database | undefined {
  if (!isDatabaseWithOwnLog(path)) return undefined
  const database = new Database(path, { timeout: 0 })
  try {
    database.pragma('locking_mode = exclusive')
    if (database.pragma('quick_check(1)', { simple: true }) === 'ok') {
      database.pragma('journal_mode = delete')
      // In the exclusive mode SQLite keeps a journal; the next read removes it.
      database.pragma('locking_mode = normal')
      database.prepare('select 1 from sqlite_schema limit 1').get()
      database.exec('begin exclusive')
    }
    return database
  } catch (error) {
    if (!isBusy(error)) return database
    database.close()
    throw new Error('it is in use. Stop the service first', { cause: error })
  }
}

function isDatabaseWithOwnLog(path: string): boolean {
  try {
    assertNoOrphanedLog(path)
    assertDatabaseFile(path, false)
    return hasOwnLog(path)
  } catch {
    return false
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
