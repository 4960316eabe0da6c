import Database from 'better-sqlite3'
import { isBusy } from '../failures.ts'
import { assertDatabaseFile } from './file-access.ts'
import { assertNoOrphanedLog, hasOwnLog } from './logs.ts'

/**
 * Keeps every other process from opening a database until the returned connection is closed. Throws
 * if another process has it open. If the database is undamaged, its log is moved into the file. A
 * file that is not a database, or has the log of another file, is not locked.
 */
export function lockDatabase(path: string): Database.Database | undefined {
  if (!isDatabaseWithOwnLog(path)) return undefined
  const database = new Database(path, { timeout: 0 })
  try {
    database.pragma('locking_mode = exclusive')
    if (database.pragma('quick_check(1)', { simple: true }) === 'ok') {
      database.pragma('journal_mode = delete')
      // With the exclusive locking mode SQLite keeps a journal, which the next read in the normal
      // mode removes.
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
