import type { PoolUse } from '@pet-store/persistence'
import pg, { type Pool } from 'pg'
import { cannotConnect, isUsableAfter, unavailableOr } from '../unavailable.ts'
import type { RunWrite } from './statement-runner.ts'
import { bytesOf, type WaitingLimits, WaitingStatements, waitedTooLong, whyDropped } from './waiting-statements.ts'

const INT8 = pg.types.builtins.INT8

/** Columns of 64 bits are read as bigints, exactly; the driver returns texts otherwise. */
const types = {
  getTypeParser: ((oid: number, format?: 'text') => (oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format))) as
    // The declared type names one overload per format, and texts are the only format that is requested.
    typeof pg.types.getTypeParser,
}

/**
 * Runs each statement on a connection of the pool. Instead of `pool.query`, because that does not tell a statement that
 * was never sent from one whose result was lost, and closes the connection after each error of a statement.
 */
export function runOnPool(pool: Pool, isWrite: boolean, limits?: WaitingLimits): RunWrite {
  const waiting = new WaitingStatements(limits)
  return (statement, values, cancellation) =>
    new Promise((resolve, reject) => {
      // Late values are counted by those who hold them.
      const bytes = typeof values === 'function' ? 0 : bytesOf(values)
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
        const sent = typeof values === 'function' ? values() : values
        if (dropped !== undefined || sent === undefined) {
          release()
          reject(dropped ?? waitedTooLong())
          return
        }
        // The driver only reads the values.
        const query = { ...statement, types, values: sent as unknown[] }
        client.query(query, (failure: Error | undefined, result) => {
          release(failure && !isUsableAfter(failure) ? failure : undefined)
          if (failure) reject(unavailableOr(failure, isWrite))
          else resolve(result.rows)
        })
      })
    })
}

/** Returns what the pool counts itself. */
export function poolUse(name: string, { totalCount, idleCount, waitingCount, options }: Pool): PoolUse {
  return { name, busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, limit: options.max }
}
