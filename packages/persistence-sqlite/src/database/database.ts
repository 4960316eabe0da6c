import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { closedOnFailure } from './closed-on-failure.ts'
import {
  assertAccess,
  assertDatabaseFile,
  assertNotMountedAlone,
  assertOneName,
  user,
} from './files/file-access.ts'
import { NO_DATABASE } from './files/file-header.ts'
import { fileIdOf } from './files/file-id.ts'
import { createFolder } from './files/file-sync.ts'
import { assertNoOrphanedLog, assertOwnLog } from './files/logs.ts'
import { assertNoLostLog } from './files/lost-logs.ts'
import { watchFiles } from './files/watched-files.ts'
import { openReadOnly } from './read-only-database.ts'
import { withRetries } from './retries.ts'
import { MEMORY, type SqliteOptions } from './settings.ts'

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
    if (!readOnly) {
      assertOneName(path)
      assertNotMountedAlone(path)
    }
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
  await assertNoLostLog(path)
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

function reasonOf(error: unknown, path: string): string {
  const { code, message } = error as NodeJS.ErrnoException
  // Flags of Node deny it. They may also deny looking at the file.
  if (code === 'ERR_ACCESS_DENIED' || code === 'ERR_DLOPEN_DISABLED')
    return message.replace(/\.$/, '')
  if (code === 'EACCES' || code === 'EPERM') return `${user()} may not create or open its folder`
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return 'it is a folder'
  if (code === 'SQLITE_NOTADB') return NO_DATABASE
  return message
}
