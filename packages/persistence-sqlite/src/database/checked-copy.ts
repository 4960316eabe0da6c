import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { openSqliteDatabase } from './database.ts'
import { isBusy } from './failures.ts'
import { assertDatabaseFile, syncFile, syncFolder } from './file-access.ts'
import { assertNoOrphanedLog, hasOwnLog, removeLogs } from './logs.ts'

/** What a copy holds. */
export interface SqliteBackup {
  readonly pets: number
}

/** Told how far a copy is. Once all bytes are there, it is checked. */
export type OnCopied = (bytes: number, totalBytes: number) => void

/** How much is copied before the event loop goes on. */
const STEP_BYTES = 4 * 2 ** 20

/**
 * Writes to a temporary file beside the final one, which takes its name once it is checked and on
 * the disk. Nobody else can open the final one meanwhile.
 */
export async function writeCheckedCopy(
  file: string,
  from: string,
  beforeRename: (file: string) => void,
  onCopied?: OnCopied,
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
    await copyPages(source, temporary, onCopied)
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
    removeLogs(temporary)
  }
}

/** Copies what is stored now, whatever others write meanwhile. */
async function copyPages(
  source: Database.Database,
  file: string,
  onCopied: OnCopied | undefined,
): Promise<void> {
  const pageBytes = source.pragma('page_size', { simple: true }) as number
  // The transaction keeps what it has read once: without it each write of others starts the copy
  // from the beginning.
  source.exec('begin')
  source.prepare('select 1 from sqlite_schema limit 1').get()
  const { totalPages } = await source.backup(file, {
    progress({ totalPages, remainingPages }) {
      if (remainingPages > 0)
        onCopied?.((totalPages - remainingPages) * pageBytes, totalPages * pageBytes)
      return Math.ceil(STEP_BYTES / pageBytes)
    },
  })
  onCopied?.(totalPages * pageBytes, totalPages * pageBytes)
}

function isSameFile(one: string, other: string): boolean {
  const first = statSync(one, { bigint: true })
  const second = statSync(other, { bigint: true })
  return first.dev === second.dev && first.ino === second.ino
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
    const [, pid] =
      /^\.(\d+)\.tmp(?:-journal|-wal|-shm)?$/.exec(name.slice(basename(file).length)) ?? []
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
  const copy = new Database(file)
  try {
    // The mode is copied too; in this one nothing else than the file belongs to the copy.
    copy.pragma('journal_mode = delete')
    const result = copy.pragma('integrity_check', { simple: true })
    if (result !== 'ok') throw new Error(`the copy is damaged (${String(result)})`)
    return copy.prepare('select count(*) from pet').pluck().get() as number
  } finally {
    copy.close()
  }
}
