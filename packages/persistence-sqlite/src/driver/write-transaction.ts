import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { EntityAccess } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { REQUEST_MAX_WAIT_MS, withRetries } from '../database/retries.ts'
import { unavailableOr } from '../database/unavailable.ts'

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

/**
 * Work with entities on the connection of an ORM. Writes run one after another, since the connection has one transaction
 * at a time. `assertFile` throws when the file that the database was opened from is gone.
 */
export function createEntityAccess(em: SqlEntityManager, database: Database, assertFile: () => void): EntityAccess {
  let last: Promise<unknown> = Promise.resolve()
  return {
    read: (work) => withRetries(() => work(em.fork()), REQUEST_MAX_WAIT_MS).catch(rethrow),

    write(work) {
      const written = last
        .then(assertFile)
        .then(() => inWriteTransaction(database, () => work(em.fork())))
        .catch(rethrow)
      last = written.catch(() => undefined)
      return written
    },
  }
}

function rethrow(error: unknown): never {
  throw unavailableOr(error)
}
