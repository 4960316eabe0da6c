import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { openSqliteDatabase } from './database.ts'
import { lockDatabase } from './exclusive-lock.ts'
import { syncFile, syncFolder } from './file-sync.ts'
import { removeLogs } from './logs.ts'

/** A copy of a database that was checked. */
export interface SqliteBackup {
  /** The number of pets in the copy. */
  readonly pets: number
}

/**
 * Called with the progress of a copy. Once `bytes` equals `totalBytes` the copy is complete and is
 * checked.
 */
export type OnCopied = (bytes: number, totalBytes: number) => void

/** How much is copied in one turn of the event loop. */
const STEP_BYTES = 4 * 2 ** 20

/**
 * Copies a database to `file`: to a temporary file first, which is renamed once it is checked and
 * written to the disk. No other process can open `file` meanwhile. `beforeRename` is called right
 * before the temporary file is renamed.
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
    // The file was not there to be locked, and a service may have created it since.
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
    // The file was renamed by now. SQLite notices that, and removes nothing.
    lock?.close()
    rmSync(temporary, { force: true })
    removeLogs(temporary)
  }
}

/** Copies the present content of a database, whatever other processes write meanwhile. */
async function copyPages(
  source: Database.Database,
  file: string,
  onCopied: OnCopied | undefined,
): Promise<void> {
  const pageBytes = source.pragma('page_size', { simple: true }) as number
  // A read transaction sees the same content until it ends. Without one, each write of another
  // process would make SQLite start the copy from the beginning.
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
    // The journal mode was copied too. In this mode the copy is a single file, without a log.
    copy.pragma('journal_mode = delete')
    const result = copy.pragma('integrity_check', { simple: true })
    if (result !== 'ok') throw new Error(`the copy is damaged (${String(result)})`)
    return copy.prepare('select count(*) from pet').pluck().get() as number
  } finally {
    copy.close()
  }
}
