import { DriverException } from '@mikro-orm/core'
import { persistenceUnavailable, type WriteOutcome } from '@pet-store/domain'
import Database from 'better-sqlite3'

/** Another process is writing, the disk is full or broken, the file became read-only: not caused by the request. */
const CODES = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/

/** Returns what a call rejects with: `persistence_unavailable` where the database cannot work now, else the error itself. */
export function unavailableOr(error: unknown, outcome: WriteOutcome = 'not_stored'): unknown {
  return isDriverError(error) && CODES.test(error.code) ? persistenceUnavailable({ cause: error, outcome }) : error
}

/** The ORM wraps the errors of the driver and copies their codes. */
function isDriverError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Database.SqliteError || (error instanceof DriverException && typeof error.code === 'string')
}
