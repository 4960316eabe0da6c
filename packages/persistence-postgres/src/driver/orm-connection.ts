import { DriverException } from '@mikro-orm/core'
import { tooManyWait, WAITING_LIMITS } from '@pet-store/persistence-mikro-orm'
import type { PostgresPool } from 'kysely'
import type { ClientBase, Pool } from 'pg'
import { sqlStateOf, unavailableOr } from '../database/failures.ts'
import { type AssertClient, connect, releaseAfter } from './pool-statements.ts'

/**
 * A pool as Kysely, which the ORM uses, needs it. Closes a connection that is not usable after an
 * error, which Kysely would return to the pool. `assertClient` may reject a connection before a
 * statement is sent on it.
 */
export function ormConnection(pool: Pool, assertClient?: AssertClient): PostgresPool {
  return {
    async connect() {
      if (pool.waitingCount >= WAITING_LIMITS.maxStatements) throw tooManyWait()
      const client = await connect(pool)
      let failure: unknown
      try {
        await assertClient?.(client)
      } catch (error) {
        releaseAfter(client, error)
        throw error
      }
      const query = async (sql: string, values: readonly unknown[]) => {
        try {
          return await client.query(sql, [...values])
        } catch (error) {
          failure = error
          // So that it is known as one of the driver: the ORM wraps the errors of most calls, but
          // not those of its query builder.
          throw sqlStateOf(error) === undefined ? new DriverException(error as Error) : error
        }
      }
      return { query: query as unknown as Query, release: () => releaseAfter(client, failure) }
    },

    // The adapter, which opened the pool, ends it.
    async end() {},
    options: pool.options,
  }
}

/** A pool that has only the connection of a transaction, and neither begins nor ends it. */
export function ormConnectionOn(client: ClientBase): PostgresPool {
  // Errors are classified here, because the ORM does not wrap all errors of the driver.
  const query = (sql: string, values: readonly unknown[]) =>
    client.query(sql, [...values]).catch((error: unknown) => {
      throw unavailableOr(error)
    })
  const one = { query: query as unknown as Query, release() {} }
  return { connect: async () => one, async end() {}, options: {} }
}

/** The ORM calls it with a text and values only; the other overload is for cursors. */
type Query = Awaited<ReturnType<PostgresPool['connect']>>['query']
