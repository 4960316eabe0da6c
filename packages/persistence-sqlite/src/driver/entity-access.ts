import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { EntityAccess } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { REQUEST_MAX_WAIT_MS, withRetries } from '../database/retries.ts'
import { unavailableOr } from '../database/unavailable.ts'
import { inWriteTransaction } from './write-transaction.ts'

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
