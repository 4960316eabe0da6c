import { DriverException } from '@mikro-orm/core'
import { type PetError, persistenceUnavailable, type WriteOutcome } from '@pet-store/domain'
import Database from 'better-sqlite3'

/**
 * The errors that no request has caused: another process is writing, the disk is full or broken, or
 * the file became read-only.
 */
const UNAVAILABLE_CODES = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/

/**
 * Returns the error with which a call rejects: `persistence_unavailable` if the database is
 * unavailable, else the error itself.
 */
export function unavailableOr(error: unknown, outcome: WriteOutcome = 'not_stored'): unknown {
  return UNAVAILABLE_CODES.test(codeOf(error))
    ? persistenceUnavailable({ cause: error, outcome })
    : error
}

/**
 * `unavailableOr` for a write whose values are valid. If the database rejects them, it is for a
 * reason that an operator can remove: a constraint, a trigger or a column of theirs.
 */
export function notStoredOr(error: unknown): unknown {
  return codeOf(error).startsWith('SQLITE_CONSTRAINT') ? rejected(error) : unavailableOr(error)
}

/** The error of a write of valid values that the database has rejected. */
export function rejected(cause?: unknown): PetError {
  return persistenceUnavailable({ message: 'The database rejects the pet.', cause })
}

/**
 * `unavailableOr` for an error of a commit. If writing it to the disk has failed, the outcome is
 * `unknown`: after a crash SQLite may still recover the commit from the log.
 */
export function unavailableAfterCommit(error: unknown): unknown {
  return unavailableOr(error, codeOf(error).startsWith('SQLITE_IOERR') ? 'unknown' : 'not_stored')
}

/** Whether work failed because another connection held a lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

/**
 * Whether a write failed because the disk does not take it: there is no space, the disk is broken
 * or became read-only, or a quota or a limit of the size of files is reached.
 */
export function isDiskFailure(error: unknown): boolean {
  return /^SQLITE_(?:FULL|IOERR|READONLY)/.test(codeOf(error))
}

/**
 * The code of an error of the driver; empty for any other error. The ORM wraps errors of the driver
 * and copies their fields.
 */
export function codeOf(error: unknown): string {
  const isDriverError = error instanceof Database.SqliteError || error instanceof DriverException
  return isDriverError ? String(error.code) : ''
}
