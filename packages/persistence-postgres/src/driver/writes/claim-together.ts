import type { ClientBase } from 'pg'
import { isTakenValue } from '../../database/failures.ts'
import { runOn, type StatementText } from '../pool-statements.ts'
import { RepeatableStatement, type StatementOptions } from '../repeatable-statement.ts'
import type { ClaimedId, KeyedPet } from './keyed-writes.ts'
import { ADD_MANY_WITH_KEYS, ADD_MANY_WITH_NEW_KEYS } from './pet-insert-statements.ts'
import { columnsOf, idsInOrder } from './row-lists.ts'

/** How long a group waits for a key that another transaction holds. */
const LOCK_TIMEOUT_MS = 100

/**
 * How long the faster statement runs without the other one. Without the primary key, as while a
 * table is restored, the faster one would store a key twice; the other one fails, with 42P10.
 */
const MAX_UNCHECKED_MS = 1_000

/**
 * Returns a function that fulfils `ClaimTogether` on a connection. It first runs the faster
 * statement, which expects every key to be new. If one is taken, that statement fails, and the
 * function runs the statement that leaves taken keys out. It goes on with the latter until a group
 * has no taken keys. It also runs the latter once a second, until it succeeds.
 */
export function createClaimTogether(
  options: StatementOptions,
): (client: ClientBase, claims: readonly KeyedPet[]) => Promise<readonly ClaimedId[]> {
  const addWithNewKeys = new RepeatableStatement(ADD_MANY_WITH_NEW_KEYS, options)
  const addWithKeys = new RepeatableStatement(ADD_MANY_WITH_KEYS, options)
  let areTaken = false
  // A database whose primary keys are missing is not opened.
  let checkedAt = performance.now()

  return async (client, claims) => {
    const rows = claims.map(({ key, pet }) => [...key, ...pet])
    const values = [...columnsOf(rows), LOCK_TIMEOUT_MS]
    const run = (statement: StatementText) => runOn(client, statement, values, 'unknown')
    if (!areTaken && performance.now() - checkedAt < MAX_UNCHECKED_MS) {
      try {
        return idsInOrder(await addWithNewKeys.run(run))
      } catch (error) {
        // It has stored nothing.
        if (!isTakenValue(error)) throw error
      }
    }
    const added = await addWithKeys.run(run)
    checkedAt = performance.now()
    areTaken = added.length < claims.length
    const ids = new Array<ClaimedId>(claims.length).fill(undefined)
    for (const [id, position] of added) ids[Number(position) - 1] = id
    return ids
  }
}
