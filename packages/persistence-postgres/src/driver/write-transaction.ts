import type { ClientBase, Pool } from 'pg'
import { isUsableAfter, sqlStateOf, unavailableOr } from '../database/unavailable.ts'
import { connect } from './pool-statements.ts'

/** Behind a statement that a silent server never ends, it would wait for another time limit of the pool. */
const ROLLBACK = { text: 'rollback', query_timeout: 1_000 }

/**
 * Runs some work in one transaction, and rolls it back when it fails. The ORM's own are not used, because below it Kysely
 * never gives a connection back whose `begin` or `rollback` has failed. Rejects with the work's own error, with that of the server, or with
 * `persistence_unavailable`, whose outcome is `unknown` only if the commit was sent.
 */
export async function inWriteTransaction<Result>(
  pool: Pool,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await connect(pool)
  let isEnded = false
  try {
    await client.query('begin isolation level read committed').catch((error: unknown) => {
      throw unavailableOr(error)
    })
    const result = await work(client).catch(async (error: unknown) => {
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
