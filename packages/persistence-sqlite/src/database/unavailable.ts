import { persistenceUnavailable, type WriteOutcome } from '@pet-store/domain'
import Database from 'better-sqlite3'

/** Another process is writing, the disk is full or broken, the file became read-only: not caused by the request. */
const CODES = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/

/** Returns what a call rejects with: `persistence_unavailable` where the database cannot work now, else the error itself. */
export function unavailableOr(error: unknown, outcome: WriteOutcome = 'not_stored'): unknown {
  return CODES.test(codeOf(error)) ? persistenceUnavailable({ cause: error, outcome }) : error
}

/** Whether another connection held the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

/** Whether the disk failed. */
export function isDiskFailure(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_IOERR')
}

function codeOf(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : ''
}
