import { DriverException } from '@mikro-orm/core'
import { persistenceUnavailable, type WriteOutcome } from '@pet-store/domain'
import type { ClientBase, Pool } from 'pg'
import { sqlStateOf, unavailableOr } from '../database/failures.ts'
import { withRetries } from '../database/retries.ts'
import { connect, onConnection } from './pool-statements.ts'

/**
 * Has a short time limit of its own: if the server does not respond, the work has already waited
 * for the limit of the pool.
 */
const ROLLBACK = { text: 'rollback', query_timeout: 1_000 }

/**
 * Runs work in one transaction, and rolls it back if the work fails. Repeats it if it conflicts
 * with concurrent transactions. Rejects with the error of the work or of the server, or with
 * `persistence_unavailable`, whose outcome is `unknown` only if the commit was sent.
 *
 * The transactions of the ORM are not used, because Kysely, on which it is built, never returns a
 * connection to the pool if `begin` or `rollback` fails.
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
      // Any other error is one of the work itself, and passes through.
      const isReported = sqlStateOf(error) !== undefined || error instanceof DriverException
      throw isReported ? unavailableOr(error) : error
    })
    await client.query('commit').catch(unavailable('unknown'))
    return result
  }
  return withRetries(() => onConnection(connect(pool), run))
}

/**
 * Throws an error after which the connection is closed, because it may still be in the transaction.
 * The server then rolls the transaction back.
 */
function notRolledBack(cause: unknown): never {
  const reason = new Error('The transaction was not rolled back.', { cause })
  throw persistenceUnavailable({ cause: reason })
}
