import { DriverException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { EntityAccess } from '@pet-store/persistence-mikro-orm'
import { cannotConnect, sqlStateOf, unavailableOr } from '../unavailable.ts'
import { withRetries } from './retry-conflicts.ts'

/** Work with entities on the connections of an ORM. Writes are transactions, repeated when they conflict with others. */
export function createEntityAccess(em: () => Promise<SqlEntityManager>): EntityAccess {
  async function write<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result> {
    const transaction = (await em()).fork()
    await transaction.begin().catch((error: unknown) => {
      throw sqlStateOf(error) === undefined ? cannotConnect(error) : unavailableOr(error, false)
    })
    const result = await work(transaction).catch(async (error: unknown) => {
      // If the connection is lost, the server has rolled back already. Before the commit nothing is stored.
      await transaction.rollback().catch(() => {})
      throw error instanceof DriverException ? unavailableOr(error, false) : error
    })
    await transaction.commit().catch(async (error: unknown) => {
      // The ORM keeps the connection of a commit that failed.
      await transaction.rollback().catch(() => {})
      throw unavailableOr(error, true)
    })
    return result
  }

  return {
    read: (work) =>
      withRetries(async () => work((await em()).fork())).catch((error: unknown) => {
        throw unavailableOr(error, false)
      }),

    write: (work) => withRetries(() => write(work)),
  }
}
