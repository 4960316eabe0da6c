import { DriverException } from '@mikro-orm/core'
import { persistenceUnavailable, type WriteOutcome } from '@pet-store/domain'
import type { ClientBase, Pool } from 'pg'
import { sqlStateOf, unavailableOr } from '../database/failures.ts'
import { withRetries } from '../database/retries.ts'
import { connect, onConnection } from './pool-statements.ts'

/**
 * Behind a statement that a silent server never ends, it would wait for another time limit of the
 * pool.
 */
const ROLLBACK = { text: 'rollback', query_timeout: 1_000 }

/**
 * Runs some work in one transaction, and rolls it back when it fails; if others are in its way, it
 * runs again. The ORM's own are not used, because below it Kysely never gives a connection back
 * whose `begin` or `rollback` has failed.
 * Rejects with the error of the work or of the server, or with `persistence_unavailable`, whose
 * outcome is `unknown` only if the commit was sent.
 */
export function inWriteTransaction<Result>(
  pool: Pool,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const unavailable = (outcome?: WriteOutcome) => (error: unknown) => {
    throw unavailableOr(error, outcome)
  }
  const run = async (client: ClientBase): Promise<Result> => {
    await client.query('begin isolation level read committed').catch(unavailable())
    const result = await work(client).catch(async (error: unknown) => {
      await client.query(ROLLBACK).catch(notRolledBack)
      // An error that neither the server nor the driver below the ORM reports is one of the work.
      const isReported = sqlStateOf(error) !== undefined || error instanceof DriverException
      throw isReported ? unavailableOr(error) : error
    })
    await client.query('commit').catch(unavailable('unknown'))
    return result
  }
  return withRetries(() => onConnection(connect(pool), run))
}

/**
 * Whatever the server says, the connection may still be in the transaction, so it must be closed;
 * then the server rolls back by itself.
 */
function notRolledBack(cause: unknown): never {
  const reason = new Error('The transaction was not rolled back.', { cause })
  throw persistenceUnavailable({ cause: reason })
}
