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
  /** Whether the file is only read, even on a read-only file system. Default: false. */
  readonly readOnly?: boolean
}

/** The file mode for the options of an adapter. */
export function fileMode({ mode = 'write' }: SqliteOptions): FileMode {
  return { create: mode === 'migrate', readOnly: mode === 'read' }
}

/** Opens a database. Rejects with an error that names the path; the driver's error is its cause. */
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

/** Opens a database, runs work on it, and closes it even if the work fails. */
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
  // After each wait the file is opened again, because the process that held the lock may have
  // replaced it.
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
    // With a write-ahead log, readers and a writer do not block each other. This statement is also
    // the first to read the file, so it fails if that is not a database.
    const mode = connection.pragma('journal_mode = wal', { simple: true })
    if (mode !== 'wal')
      throw new Error(`its file system does not support a write-ahead log (${mode})`)
    // Creates the log and its index.
    connection.prepare('select 1 from sqlite_schema limit 1').get()
    watchFiles(connection, id)
    return connection
  })
}

/**
 * Creates a missing file with the rights that SQLite would give it, so that its id is known before
 * SQLite opens it.
 */
function createFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o644))
}

/**
 * Opens a file that is only read. SQLite needs a write-ahead log even then, and creates a missing
 * one with the owner and the rights of the reader, so that other users could no longer write. Only
 * the owner of a file therefore opens it in the normal way, where the last connection to close
 * removes the log. Other users share the log of a process that has the file open, or else read a
 * copy of the file.
 */
async function openReadOnly(path: string): Promise<Database.Database> {
  try {
    if (isOwnFile(path)) {
      await assertLogOfOthers(path)
      return await openForQueries(path)
    }
    // With `readonly` SQLite does not remove the log, and does not move it into the file.
    if (existsSync(`${path}-shm`)) return await openForQueries(path, { readonly: true })
  } catch (error) {
    // The folder is read-only, or the file system has no locks: a copy can still be read.
    if (!/^SQLITE_(?:READONLY|CANTOPEN|IOERR_LOCK)/.test(codeOf(error))) throw error
  }
  return openCopy(path)
}

/**
 * Rejects if another process has the file open but its log, or the index of the log, was deleted:
 * SQLite would create new ones, and the two processes would overwrite each other's pages. To find
 * out, it locks the file, which succeeds only if no process has it open.
 */
async function assertLogOfOthers(path: string): Promise<void> {
  const files = ['-wal', LOG_INDEX].map((name) => `${linkTarget(path)}${name}`)
  const isMissing = () => files.some((file) => !existsSync(file))
  const missing = files.filter((file) => !existsSync(file))
  // Must come before a connection moves the log into the file. It creates the index of a log that
  // has none.
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

/** Throws SQLITE_BUSY if another connection has the file open. */
function lockOnce(path: string): void {
  const database = new Database(path, { timeout: 0 })
  try {
    database.pragma('locking_mode = exclusive')
    database.prepare('select 1 from sqlite_schema limit 1').get()
  } finally {
    database.close()
  }
}

/**
 * Whether this user owns a file and may write it. True for the superuser too, because SQLite gives
 * files that the superuser creates to the owner of the database.
 */
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
 * Opens a copy of a file, for a reader that cannot use its log; without one no process is writing.
 * The copy is unlinked once it is open, so that nothing is left of it even if this process is
 * killed.
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

/** Runs work on a connection and returns its result. Closes the connection only if that fails. */
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
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM') return `${user()} may not create or open its folder`
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return 'it is a folder'
  if (code === 'SQLITE_NOTADB') return NO_DATABASE
  return message
}
