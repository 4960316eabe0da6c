import type { Database } from 'better-sqlite3'
import { unavailableAfterCommit, unavailableOr } from '../database/failures.ts'
import { assertFilesUnmoved } from '../database/files/watched-files.ts'
import { withRetries } from '../database/retries.ts'

/**
 * Runs work in one transaction, during which no other connection can write, and rolls it back if
 * the work fails. Waits for the lock without blocking the thread. Rejects with the error of the
 * work, or with `persistence_unavailable`, whose outcome is `unknown` only if the commit was begun.
 *
 * MikroORM's migrator takes no lock of its own: of two programs that start together, one would
 * fail. SQLite has one writer at a time, so the second program waits here and then finds the work
 * done.
 */
export function inWriteTransaction<Result>(
  database: Database,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  return inTurn(database, () => inTransaction(database, work))
}

/** The last work of each connection that waits or runs. */
const lastTurns = new WeakMap<Database, Promise<unknown>>()

/**
 * Runs work that takes several turns of the event loop, after the earlier work of its connection. A
 * connection has only one transaction, so writes that run at the same time would be committed, or
 * rolled back, together, and a read would see what may be rolled back.
 */
export function inTurn<Result>(database: Database, work: () => Promise<Result>): Promise<Result> {
  const turn = (lastTurns.get(database) ?? Promise.resolve()).then(work)
  lastTurns.set(
    database,
    turn.catch(() => undefined),
  )
  return turn
}

async function inTransaction<Result>(
  database: Database,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  assertFilesUnmoved(database)
  let isCommitting = false
  try {
    await withRetries(() => database.exec('begin immediate'))
    const result = await work()
    isCommitting = true
    database.exec('commit')
    assertFilesUnmoved(database, 'unknown')
    return result
  } catch (error) {
    if (database.inTransaction) database.exec('rollback')
    throw isCommitting ? unavailableAfterCommit(error) : unavailableOr(error)
  }
}
