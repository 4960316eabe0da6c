import { AsyncLocalStorage } from 'node:async_hooks'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { EntityAccess } from '@pet-store/persistence-mikro-orm'
import type { PostgresPool } from 'kysely'
import type { ClientBase, Pool } from 'pg'
import { withRetries } from '../database/retries.ts'
import { isUsableAfter, sqlStateOf, unavailableOr } from '../database/unavailable.ts'
import { connect } from './pool-statements.ts'

/** The connection of the present transaction. */
const transactionClient = new AsyncLocalStorage<ClientBase>()

/**
 * A pool for the ORM: within `inWriteTransaction` its statements run on the connection of the transaction. The ORM's own
 * transactions are not used, because below it Kysely never gives a connection back whose `begin` or `rollback` has failed.
 */
export function poolForOrm(pool: Pool): PostgresPool {
  return {
    async connect() {
      const client = transactionClient.getStore()
      return client === undefined ? pool.connect() : { query: client.query.bind(client), release() {} }
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

/** Behind a statement that a silent server never ends, it would wait for another time limit of the pool. */
const ROLLBACK = { text: 'rollback', query_timeout: 1_000 }

/**
 * Runs some work in one transaction, and rolls it back when it fails. With `repeatable read` the server fails it when
 * others have changed what it changes. Rejects with the work's own error, with that of the server, or with
 * `persistence_unavailable`, whose outcome is `unknown` only if the commit was sent.
 */
export async function inWriteTransaction<Result>(
  pool: Pool,
  work: (client: ClientBase) => Promise<Result>,
  isolation: 'read committed' | 'repeatable read' = 'read committed',
): Promise<Result> {
  const client = await connect(pool)
  let isEnded = false
  try {
    await client.query(`begin isolation level ${isolation}`).catch((error: unknown) => {
      throw unavailableOr(error)
    })
    const result = await transactionClient
      .run(client, () => work(client))
      .catch(async (error: unknown) => {
        isEnded = await client.query(ROLLBACK).then(
          () => true,
          () => false,
        )
        // Without a connection the server rolls back by itself. An error that nobody sent is one of the work.
        throw isEnded && sqlStateOf(error) === undefined ? error : unavailableOr(error)
      })
    await client.query('commit').catch((error: unknown) => {
      isEnded = isUsableAfter(error)
      throw unavailableOr(error, 'unknown')
    })
    isEnded = true
    return result
  } finally {
    client.release(!isEnded)
  }
}

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
