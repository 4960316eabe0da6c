import { setTimeout } from 'node:timers/promises'
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

/** Whether another connection held the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

/** Whether the disk failed. */
export function isDiskFailure(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_IOERR')
}

/** The code of an error of the driver, empty for any other. */
export function codeOf(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : ''
}

/** Long enough for another process to migrate a large table. */
const MAX_WAIT_MS = 60_000
/** How long reads and writes of requests wait for a lock at most. */
export const REQUEST_MAX_WAIT_MS = 5_000

/** Trying takes microseconds, and most locks last for one commit. */
export const RETRY_PAUSE_MS = 2

/**
 * Runs work, and runs it again while another connection holds the lock that it needs, until the
 * time is up; then rejects with the driver's error. The work must have changed nothing when it
 * fails with SQLITE_BUSY.
 *
 * SQLite's own `busy_timeout` sleeps on the main thread: no request, not even a health check, would
 * get a response meanwhile. Every connection therefore has a timeout of 0.
 */
export async function withRetries<Result>(
  work: () => Result | Promise<Result>,
  waitMs = MAX_WAIT_MS,
): Promise<Result> {
  const deadline = performance.now() + waitMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await setTimeout(RETRY_PAUSE_MS)
  }
}

/**
 * Runs some work in one transaction that no other connection can write beside, and rolls it back
 * when it fails. Waits for the lock without blocking the thread.
 *
 * MikroORM's migrator takes no lock of its own: of two programs that start together, one would
 * fail. SQLite has one writer at a time, so the second program waits here and then finds the work
 * done.
 */
export async function inWriteTransaction<Result>(
  database: Database.Database,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  await withRetries(() => database.exec('begin immediate'))
  try {
    const result = await work()
    database.exec('commit')
    return result
  } catch (error) {
    if (database.inTransaction) database.exec('rollback')
    throw error
  }
}
