import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { openSqliteDatabase } from './database.ts'
import { lockDatabase } from './files/exclusive-lock.ts'
import { fileIdOf } from './files/file-id.ts'
import { syncFile, syncFolder } from './files/file-sync.ts'
import { removeLogs } from './files/logs.ts'

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
  // Processes of two containers may have the same id.
  const temporary = `${file}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`
  const removeTemporary = () => {
    rmSync(temporary, { force: true })
    removeLogs(temporary)
  }
  // A program that is interrupted ends by `process.exit`, which waits for the thread of a check. In
  // an empty file the check finds damage and ends.
  const onExit = () => {
    if (existsSync(temporary)) truncateSync(temporary)
    removeTemporary()
  }
  const source = await openSqliteDatabase(from, { readOnly: true })
  process.once('exit', onExit)
  let lock: Database.Database | undefined
  try {
    const existing = statSync(file, { throwIfNoEntry: false })
    if (existing?.isFile() === false) throw new Error('it is a folder or a device')
    if (existing && fileIdOf(file) === fileIdOf(from)) throw new Error('it is the database itself')
    lock = lockDatabase(file)
    removeLeftovers(file)
    await copyPages(source, temporary, onCopied)
    const pets = await checkCopy(temporary)
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
    removeTemporary()
    process.off('exit', onExit)
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

/**
 * Removes the temporary files of processes that were killed. Those of earlier releases have no text
 * after the process id.
 */
function removeLeftovers(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    if (!name.startsWith(`${basename(file)}.`)) continue
    const [, pid] =
      /^\.(\d+)(?:-\w+)?\.tmp(?:-journal|-wal|-shm)?$/.exec(name.slice(basename(file).length)) ?? []
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

/**
 * Checks a copy in a thread of its own, because a check takes seconds for each gigabyte and SQLite
 * reports no progress of it. Meanwhile the caller can show how long it takes. Resolves to the
 * number of pets.
 */
function checkCopy(file: string): Promise<number> {
  const driver = createRequire(import.meta.url).resolve('better-sqlite3')
  // Without the options of this process, one of which may be `--input-type=module`.
  const options = { eval: true, workerData: { driver, file }, execArgv: [] }
  return new Promise((resolve, reject) => {
    new Worker(CHECK_COPY, options)
      .once('message', resolve)
      .once('error', reject)
      .once('exit', (code) => reject(new Error(`the check ended with exit code ${code}`)))
  })
}

/**
 * The journal mode was copied too. In this mode the copy is a single file, without a log. The file
 * is missing if the program ends just now: it must not be created again.
 */
const CHECK_COPY = `
const { parentPort, workerData } = require('node:worker_threads')
const Database = require(workerData.driver)
const copy = new Database(workerData.file, { fileMustExist: true })
copy.pragma('journal_mode = delete')
const result = copy.pragma('integrity_check', { simple: true })
if (result !== 'ok') throw new Error('the copy is damaged (' + result + ')')
const pets = copy.prepare('select count(*) from pet').pluck().get()
copy.close()
parentPort.postMessage(pets)
`
