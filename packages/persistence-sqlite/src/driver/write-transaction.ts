import type { Database } from 'better-sqlite3'
import { withRetries } from '../database/retries.ts'

/**
 * Runs some work in one transaction that no other connection can write beside, and rolls it back when it fails. Waits
 * for the lock without blocking the thread.
 *
 * MikroORM's migrator takes no lock of its own: of two programs that start together, one would fail. SQLite has one
 * writer at a time, so the second program waits here and then finds the work done.
 */
export async function inWriteTransaction<Result>(
  database: Database,
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
