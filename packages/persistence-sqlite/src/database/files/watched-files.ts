import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { persistenceUnavailable, type WriteOutcome } from '@pet-store/domain'
import Database from 'better-sqlite3'
import { isWithLog } from './file-header.ts'
import { fileIdOf } from './file-id.ts'
import { LOG_INDEX } from './logs.ts'

/** A file that SQLite has open. */
interface WatchedFile {
  /** Absolute, because the program may change its working directory. */
  readonly path: string
  /** Identifies the file that had this path when it was opened. */
  readonly id: string
  /** What the file is, for messages. */
  readonly what: string
  /** What to do if it is gone. */
  readonly advice: string
}

/** The files of each database that is open for writing. */
const watched = new WeakMap<Database.Database, readonly WatchedFile[]>()

/**
 * Remembers which files a database has open. Throws if the database file is not the one that had
 * this id before it was opened.
 */
export function watchFiles(database: Database.Database, idBefore: string | undefined): void {
  const path = resolve(database.name)
  // SQLite keeps the log beside the file that a link leads to.
  const logs = realpathSync(path)
  const files = [
    { path, what: 'database file', advice: PUT_BACK },
    { path: `${logs}-wal`, what: 'log', advice: RESTART },
    { path: `${logs}${LOG_INDEX}`, what: 'index of the log', advice: RESTART },
  ].map((file) => ({ ...file, id: fileIdOf(file.path) ?? '' }))
  const isSame = files[0]?.id === idBefore && files.every(({ id }) => id !== '')
  // Opens a descriptor of the file now: later the process may have no more of them.
  if (!isSame || !isWithLog(path))
    throw new Error('it was moved, replaced or deleted while it was opened; run the command again')
  watched.set(database, files)
}

const PUT_BACK =
  'Put that file back under its name: until then nothing is stored, ' +
  'and no start without it finds what is stored.'
const RESTART =
  'Restart the service: what the log holds is moved into the database file when it stops.'

/** The databases whose file was found to be overwritten. */
const overwritten = new WeakSet<Database.Database>()

/**
 * Throws `persistence_unavailable` if a file of an open database was moved, replaced or deleted
 * since it was opened: what is written then would be lost. Also if a backup was copied over the
 * database file, which the log would damage. Called before and after every write, so it only calls
 * `stat` and reads the header.
 */
export function assertFilesUnmoved(
  database: Database.Database,
  outcome: WriteOutcome = 'not_stored',
): void {
  // Closing removes the log.
  if (!database.open) return
  const files = watched.get(database)
  const moved = files?.find(({ path, id }) => fileIdOf(path) !== id)
  if (moved === undefined) {
    const [file] = files ?? []
    // It may be moved at this moment; the check after the write notices that.
    if (file !== undefined && !saysItHasLog(file, outcome)) overwritten.add(database)
    assertNotOverwritten(database, outcome)
    return
  }
  const { what, path, advice } = moved
  throw persistenceUnavailable({
    message: `The ${what} ${JSON.stringify(path)} was moved, replaced or deleted. ${advice}`,
    outcome,
  })
}

/** Throws `persistence_unavailable` if the header cannot be read, as from a broken disk. */
function saysItHasLog({ path, id }: WatchedFile, outcome: WriteOutcome): boolean {
  try {
    return isWithLog(path, id)
  } catch (cause) {
    throw persistenceUnavailable({ cause, outcome })
  }
}

/**
 * Throws `persistence_unavailable` if the file of a database was found to be overwritten. Reads
 * would return pages of both files.
 */
export function assertNotOverwritten(
  database: Database.Database,
  outcome: WriteOutcome = 'not_stored',
): void {
  if (!overwritten.has(database)) return
  const path = JSON.stringify(pathOf(database))
  throw persistenceUnavailable({
    message:
      `The database file ${path} was overwritten while it was in use. ` +
      'Stop the service, which keeps the log of the previous file; move the log away, or put the ' +
      'previous file back; then start the service. Use pet-store restore to restore a backup.',
    outcome,
  })
}

/**
 * Closes a database. SQLite then moves the log into the file, as far as the index knows it, and
 * deletes the log. If another process has created another index, it may have written frames to the
 * log that the old index does not know; the log is then kept for the next process that opens the
 * file. It is also kept if the file was overwritten, which it would damage.
 */
export function closeDatabase(database: Database.Database): void {
  if (!database.open || !(hasLogOfOthers(database) || isOverwritten(database))) {
    database.close()
    return
  }
  // Only the last connection to close moves the log, and never one with `readonly`: so a reader is
  // closed last.
  const reader = new Database(pathOf(database), { readonly: true, timeout: 0 })
  try {
    reader.prepare('select 1 from sqlite_schema limit 1').get()
  } finally {
    database.close()
    reader.close()
  }
}

function pathOf(database: Database.Database): string {
  return watched.get(database)?.[0]?.path ?? database.name
}

/** Whether the file of a database was overwritten, or may have been. */
function isOverwritten(database: Database.Database): boolean {
  const [file] = watched.get(database) ?? []
  if (file === undefined || fileIdOf(file.path) !== file.id) return false
  try {
    return overwritten.has(database) || !isWithLog(file.path, file.id)
  } catch {
    // Its header cannot be read.
    return true
  }
}

/** Whether another process has created another index of the same log. */
function hasLogOfOthers(database: Database.Database): boolean {
  const [file, log, index] = (watched.get(database) ?? []).map(({ path, id }) => {
    const now = fileIdOf(path)
    return { isSame: now === id, isOther: now !== undefined && now !== id }
  })
  return file?.isSame === true && log?.isSame === true && index?.isOther === true
}
