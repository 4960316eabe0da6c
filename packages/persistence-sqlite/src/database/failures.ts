import { DriverException } from '@mikro-orm/core'
import { persistenceUnavailable, type WriteOutcome } from '@pet-store/domain'
import Database from 'better-sqlite3'

/**
 * Another process is writing, the disk is full or broken, the file became read-only: not caused by
 * the request.
 */
const CODES = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/

/**
 * Returns what a call rejects with: `persistence_unavailable` where the database cannot work now,
 * else the error itself.
 */
export function unavailableOr(error: unknown, outcome: WriteOutcome = 'not_stored'): unknown {
  return CODES.test(codeOf(error)) ? persistenceUnavailable({ cause: error, outcome }) : error
}

/**
 * The same for a commit: when syncing it fails, a crash right afterwards may still recover it from
 * the log.
 */
export function unavailableAfterCommit(error: unknown): unknown {
  return unavailableOr(error, codeOf(error).startsWith('SQLITE_IOERR') ? 'unknown' : 'not_stored')
}

/** Whether another connection held the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

/**
 * The code of an error of the driver, empty for any other. The ORM wraps it and copies its fields.
 */
export function codeOf(error: unknown): string {
  const isDriverError = error instanceof Database.SqliteError || error instanceof DriverException
  return isDriverError ? String(error.code) : ''
}
