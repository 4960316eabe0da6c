import type { MikroORM } from '@mikro-orm/sqlite'
import type { EntityAccess } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { unavailableOr } from '../unavailable.ts'
import { inWriteTransaction } from './write-transaction.ts'

/**
 * Work with entities on the connection of an ORM. Writes run one after another, since the connection has one transaction
 * at a time. `expectFile` throws when the file that the database was opened from is not there any more.
 */
export function createEntityAccess(
  orm: () => Promise<MikroORM>,
  database: Database,
  expectFile: () => void,
): EntityAccess {
  let last: Promise<unknown> = Promise.resolve()
  return {
    read: (work) =>
      orm()
        .then(({ em }) => work(em.fork()))
        .catch(rethrow),

    write(work) {
      const written = last
        .then(expectFile)
        .then(orm)
        .then(({ em }) => inWriteTransaction(database, () => work(em.fork())))
        .catch(rethrow)
      last = written.catch(() => undefined)
      return written
    },
  }
}

function rethrow(error: unknown): never {
  throw unavailableOr(error)
}
