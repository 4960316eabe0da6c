import { tooManyWait, WAITING_LIMITS } from '@pet-store/persistence-mikro-orm'
import type { PostgresPool } from 'kysely'
import type { ClientBase, Pool } from 'pg'
import { isUsableAfter, unavailableOr } from '../database/failures.ts'
import { connect } from './pool-statements.ts'

/**
 * A pool as Kysely uses it below the ORM. By itself Kysely gives a connection back as usable even
 * when its statement has failed because the server was silent.
 */
export function ormConnection(pool: Pool): PostgresPool {
  return {
    async connect() {
      if (pool.waitingCount >= WAITING_LIMITS.maxStatements) throw tooManyWait()
      const client = await connect(pool)
      let isUsable = true
      const query = async (sql: string, values: readonly unknown[]) => {
        try {
          return await client.query(sql, [...values])
        } catch (error) {
          isUsable = isUsableAfter(error)
          throw error
        }
      }
      return { query: query as unknown as Query, release: () => client.release(!isUsable) }
    },

    // Whoever opened it closes it.
    async end() {},
    options: pool.options,
  }
}

/** The connection of a transaction, which whoever has begun it ends. */
export function ormConnectionOn(client: ClientBase): PostgresPool {
  // Not all of the ORM wraps what the driver reports, so it is classified here.
  const query = (sql: string, values: readonly unknown[]) =>
    client.query(sql, [...values]).catch((error: unknown) => {
      throw unavailableOr(error)
    })
  const one = { query: query as unknown as Query, release() {} }
  return { connect: async () => one, async end() {}, options: {} }
}

/** Called with a text and a list of values: cursors are for those who configure them. */
type Query = Awaited<ReturnType<PostgresPool['connect']>>['query']
