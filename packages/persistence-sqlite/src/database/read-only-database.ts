import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { closedOnFailure } from './closed-on-failure.ts'
import { codeOf } from './failures.ts'
import { assertNoLostLog } from './files/lost-logs.ts'
import { withRetries } from './retries.ts'

/**
 * Opens a file that is only read. SQLite needs a write-ahead log even then, and creates a missing
 * one with the owner and the rights of the reader, so that other users could no longer write. Only
 * the owner of a file therefore opens it in the normal way, where the last connection to close
 * removes the log. Other users share the log of a process that has the file open, or else read a
 * copy of the file.
 */
export async function openReadOnly(path: string): Promise<Database.Database> {
  try {
    if (isOwnFile(path)) {
      await assertNoLostLog(path)
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
