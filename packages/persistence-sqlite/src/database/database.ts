import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { codeOf, isBusy } from './failures.ts'
import {
  assertAccess,
  assertDatabaseFile,
  assertOneName,
  createFolder,
  NO_DATABASE,
  user,
} from './file-access.ts'
import { assertLogFits } from './log-fit.ts'
import { assertNoOrphanedLog, assertOwnLog, LOG_INDEX, linkTarget, logsBeside } from './logs.ts'
import { REQUEST_MAX_WAIT_MS, withRetries } from './retries.ts'
import { MEMORY, type SqliteOptions } from './settings.ts'
import { fileIdOf, watchFiles } from './watched-files.ts'

/** How a file is opened. */
export interface FileMode {
  /** Whether a missing file is created, with its folder. Default: true. */
  readonly create?: boolean
  /** Whether it is only read, for which a read-only file system is enough. Default: false. */
  readonly readOnly?: boolean
}

/** How an adapter opens its file. */
export function fileMode({ mode = 'write' }: SqliteOptions): FileMode {
  return { create: mode === 'migrate', readOnly: mode === 'read' }
}

/** Opens a file. Rejects with an error that names the path; the driver's error is its cause. */
export async function openSqliteDatabase(
  path: string,
  { create = true, readOnly = false }: FileMode = {},
): Promise<Database.Database> {
  try {
    if (path === MEMORY) return new Database(path)
    const mayCreate = create && !readOnly
    if (mayCreate) createFolder(dirname(path))
    assertNoOrphanedLog(path)
    assertDatabaseFile(path, mayCreate)
    assertAccess(path, readOnly)
    assertOwnLog(path)
    if (!readOnly) assertOneName(path)
    return readOnly ? await openReadOnly(path) : await openWritable(path)
  } catch (error) {
    const reason = reasonOf(error, path)
    throw new Error(`Cannot open the SQLite database ${JSON.stringify(path)}: ${reason}.`, {
      cause: error,
    })
  }
}

/** Opens a file for some work, and closes it in any case. */
export async function withSqliteDatabase<Result>(
  path: string,
  mode: FileMode,
  work: (database: Database.Database) => Result | Promise<Result>,
): Promise<Result> {
  const database = await openSqliteDatabase(path, mode)
  try {
    return await work(database)
  } finally {
    database.close()
  }
}

async function openWritable(path: string): Promise<Database.Database> {
  await assertLogOfOthers(path)
  // Opened again after each wait: whoever held the lock may have put another file in its place.
  const connection = await withRetries(() => openWithLog(path))
  // A pet is stored when its response is sent, even after a power failure.
  // docs/decisions/0010-sqlite-durability.md
  connection.pragma('synchronous = full')
  connection.pragma('fullfsync = on')
  return connection
}

function openWithLog(path: string): Promise<Database.Database> {
  createFile(path)
  const id = fileIdOf(path)
  return closedOnFailure(new Database(path, { timeout: 0 }), async (connection) => {
    // Readers and a writer do not block each other. Also the first read of the file, which shows
    // whether it is a database.
    const mode = connection.pragma('journal_mode = wal', { simple: true })
    if (mode !== 'wal')
      throw new Error(`its file system does not support a write-ahead log (${mode})`)
    // Creates the log and its index.
    connection.prepare('select 1 from sqlite_schema limit 1').get()
    watchFiles(connection, id)
    return connection
  })
}

/** So that it is known which file it is before SQLite opens it. With the rights that SQLite gives. */
function createFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o644))
}

/**
 * Even for reading, SQLite needs a log beside a file in this mode, and creates it with the owner
 * and the rights of the reader: then others could no longer write. So only who may write the file
 * anyway opens it in the normal way, where the last connection to close removes the log. Others use
 * the log of a process that has the file open, or read a copy.
 */
async function openReadOnly(path: string): Promise<Database.Database> {
  try {
    if (isOwnFile(path)) {
      await assertLogOfOthers(path)
      return await openForQueries(path)
    }
    // With this flag SQLite removes no log either, and applies it only for itself.
    if (existsSync(`${path}-shm`)) return await openForQueries(path, { readonly: true })
  } catch (error) {
    // In a folder that is only read, or on a file system on which nothing can be locked.
    if (!/^SQLITE_(?:READONLY|CANTOPEN|IOERR_LOCK)/.test(codeOf(error))) throw error
  }
  return openCopy(path)
}

/**
 * Rejects if another process has the file open whose log, or its index, is gone: SQLite would make
 * others, and the two processes would write over each other. Without them, only a file that no
 * process has open can be locked.
 */
async function assertLogOfOthers(path: string): Promise<void> {
  const files = ['-wal', LOG_INDEX].map((name) => `${linkTarget(path)}${name}`)
  const isMissing = () => files.some((file) => !existsSync(file))
  const missing = files.filter((file) => !existsSync(file))
  // Before a connection moves the log into the file. Makes an index if there is a log without one.
  assertLogFits(path)
  const isIndexOurs = logsBeside(path).length > 0 && missing[0] === files[1]
  try {
    await withRetries(() => {
      if (existsSync(path) && (isIndexOurs || isMissing())) lockOnce(path)
    }, REQUEST_MAX_WAIT_MS)
  } catch (error) {
    if (!isBusy(error)) throw error
    throw new Error(
      `another process restores it, or has it open although ${JSON.stringify(missing[0])} is ` +
        'gone. Wait for the one, and restart the other',
      { cause: error },
    )
  }
}

/** Fails with SQLITE_BUSY while another connection has the file open. */
function lockOnce(path: string): void {
  const database = new Database(path, { timeout: 0 })
  try {
    database.pragma('locking_mode = exclusive')
    database.prepare('select 1 from sqlite_schema limit 1').get()
  } finally {
    database.close()
  }
}

/** SQLite gives files that the superuser creates to the owner of the database. */
function isOwnFile(path: string): boolean {
  const { uid, mode } = statSync(path)
  const user = process.getuid?.() ?? uid
  return (user === uid || user === 0) && (mode & constants.S_IWUSR) !== 0
}

async function openForQueries(
  path: string,
  options: Database.Options = {},
): Promise<Database.Database> {
  return closedOnFailure(
    new Database(path, { ...options, timeout: 0, fileMustExist: true }),
    async (connection) => {
      connection.pragma('query_only = on')
      await withRetries(() => connection.prepare('select 1 from sqlite_schema limit 1').get())
      return connection
    },
  )
}

/**
 * Reads a copy where there is no log that could be used: no process is writing. The copy is
 * unlinked once it is open, so that nothing is left of it even when the process is killed.
 */
async function openCopy(path: string): Promise<Database.Database> {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
  try {
    const copy = join(folder, basename(path))
    const before = statSync(path).mtimeMs
    copyFileSync(path, copy)
    chmodSync(copy, 0o600)
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
    if (statSync(path).mtimeMs !== before)
      throw new Error('it changed while it was copied; run the command again')
    return await openForQueries(copy)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns what some work makes of a connection, and closes the connection when that fails. */
export async function closedOnFailure<Result>(
  connection: Database.Database,
  work: (connection: Database.Database) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(connection)
  } catch (error) {
    connection.close()
    throw error
  }
}

function reasonOf(error: unknown, path: string): string {
  // Only errors are thrown above, most with a code.
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM') return `${user()} may not create or open its folder`
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return 'it is a folder'
  if (code === 'SQLITE_NOTADB') return NO_DATABASE
  return message
}
