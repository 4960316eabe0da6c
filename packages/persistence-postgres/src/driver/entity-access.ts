import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { EntityAccess } from '@pet-store/persistence-mikro-orm'
import type { Pool } from 'pg'
import { withRetries } from '../database/retries.ts'
import { unavailableOr } from '../database/unavailable.ts'
import { inWriteTransaction } from './write-transaction.ts'

/** Work with entities on the connections of a pool. Writes are transactions, repeated when they conflict with others. */
export function createEntityAccess(em: SqlEntityManager, pool: Pool): EntityAccess {
  return {
    read: (work) =>
      withRetries(() => work(em.fork())).catch((error: unknown) => {
        throw unavailableOr(error)
      }),

    write: (work) => withRetries(() => inWriteTransaction(pool, () => work(em.fork()), 'repeatable read')),
  }
}
