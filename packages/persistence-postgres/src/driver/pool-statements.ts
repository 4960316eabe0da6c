import type { Pool } from 'pg'
import { cannotConnect, isUsableAfter, unavailableOr } from '../unavailable.ts'
import type { Run } from './statement-runner.ts'
import { bytesOf, type WaitingLimits, WaitingStatements, whyDropped } from './waiting-statements.ts'

/**
 * Runs each statement on a connection of the pool. Instead of `pool.query`, because that does not tell a statement that
 * was never sent from one whose result was lost, and closes the connection after each error of a statement.
 */
export function runOnPool(pool: Pool, isWrite: boolean, limits?: WaitingLimits): Run {
  const waiting = new WaitingStatements(limits)
  return (query, cancellation) =>
    new Promise((resolve, reject) => {
      const bytes = bytesOf(query.values)
      const reason = waiting.add(bytes)
      if (reason !== undefined) {
        reject(reason)
        return
      }
      pool.connect((error, client, release) => {
        waiting.remove(bytes)
        if (client === undefined) {
          reject(pool.ending && error !== undefined ? error : cannotConnect(error))
          return
        }
        // The pool itself has waited for the connection no longer than `connectionTimeoutMillis`.
        const dropped = whyDropped(cancellation, Number.POSITIVE_INFINITY)
        if (dropped !== undefined) {
          release()
          reject(dropped)
          return
        }
        client.query(query, (failure: Error | undefined, result) => {
          release(failure && !isUsableAfter(failure) ? failure : undefined)
          if (failure) reject(unavailableOr(failure, isWrite))
          else resolve(result)
        })
      })
    })
}
