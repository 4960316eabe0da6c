import type { Database } from 'better-sqlite3'
import { BUSY_TIMEOUT_MS } from '../database.ts'
import { retryWhileBusy } from './retry-while-busy.ts'

/**
 * Does something while no other connection can write, in one transaction that is ended as told, or undone on failure.
 *
 * MikroORM's migrator takes no lock of its own: of two programs that start together, one would fail. SQLite has one
 * writer at a time, so whoever comes second waits here and then finds the work done.
 * Begun on the driver, because the ORM begins transactions that take the lock only at the first write.
 */
export async function whileWriting<Result>(
  database: Database,
  end: 'commit' | 'rollback',
  work: () => Promise<Result>,
): Promise<Result> {
  database.pragma('busy_timeout = 0')
  await retryWhileBusy(() => database.exec('begin immediate'))
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  try {
    const result = await work()
    database.exec(end)
    return result
  } catch (error) {
    if (database.inTransaction) database.exec('rollback')
    throw error
  }
}
