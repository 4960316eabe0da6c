import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { isBusy } from '../failures.ts'
import { REQUEST_MAX_WAIT_MS, withRetries } from '../retries.ts'
import { assertLogFits } from './log-fit.ts'
import { LOG_INDEX, linkTarget, logsBeside } from './logs.ts'

/**
 * Rejects if another process has the file open but its log, or the index of the log, was deleted:
 * SQLite would create new ones, and the two processes would overwrite each other's pages. To find
 * out, it locks the file, which succeeds only if no process has it open.
 */
export async function assertNoLostLog(path: string): Promise<void> {
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
      `another process is restoring it, or has it open although ${JSON.stringify(missing[0])} ` +
        'is gone. Wait until the restore has ended, or restart that process',
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
