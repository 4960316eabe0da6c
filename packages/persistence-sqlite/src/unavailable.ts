import { PersistenceUnavailable } from '@pet-store/persistence'
import Database from 'better-sqlite3'

/** Another process has been writing for too long, the disk is full or broken: a matter of this moment, not of the request. */
const CODES = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR)/

/** What the driver threw, told apart: a database that cannot be written at present, or anything else as it is. */
export function unavailableOr(error: unknown): unknown {
  return error instanceof Database.SqliteError && CODES.test(error.code)
    ? new PersistenceUnavailable({ cause: error })
    : error
}
