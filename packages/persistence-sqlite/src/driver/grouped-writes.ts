import { setTimeout } from 'node:timers/promises'
import type { Cancellation } from '@pet-store/domain'
import {
  GroupedStatements,
  type GroupOptions,
  type SqlValue,
  type WaitingStatement,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { isBusy, unavailableAfterCommit, unavailableOr } from '../database/failures.ts'
import { RETRY_PAUSE_MS } from '../database/retries.ts'
import { assertFilesUnmoved } from '../database/watched-files.ts'

/**
 * Runs a write in the next transaction and resolves after its commit. A write that throws fails
 * alone. `values` is what it holds in memory while it waits.
 */
export type AddWrite = <Result>(
  write: () => Result,
  values: readonly SqlValue[],
  cancellation?: Cancellation,
) => Promise<Result>

export interface GroupedWrites {
  /** The number of writes whose transaction has not begun. */
  readonly waiting: number
  readonly add: AddWrite
}

/**
 * Puts the writes of one turn of the event loop into one transaction. With `synchronous = full`
 * waiting for the disk is the whole cost of a write; sharing it makes full durability affordable.
 * Nothing is stored, or reported as stored, when a file of the database is gone.
 */
export function createGroupedWrites(database: Database, options?: GroupOptions): GroupedWrites {
  const grouped = new GroupedStatements<() => unknown, unknown>(async (take) => {
    try {
      assertFilesUnmoved(database)
      database.exec('begin immediate')
    } catch (error) {
      if (!isBusy(error)) throw unavailableOr(error)
      // Another process is writing. Reads and health checks go on.
      return setTimeout(RETRY_PAUSE_MS)
    }
    commit(database, take())
  }, options)
  return {
    get waiting() {
      return grouped.waiting
    },
    add: <Result>(write: () => Result, values: readonly SqlValue[], cancellation?: Cancellation) =>
      grouped.add(write, values, cancellation) as Promise<Result>,
  }
}

function commit(
  database: Database,
  group: readonly WaitingStatement<() => unknown, unknown>[],
): void {
  let isCommitting = false
  try {
    const settle = group.map(({ work, resolve, reject }) => {
      try {
        const result = work()
        return () => resolve(result)
      } catch (error) {
        // A rejected statement undoes itself and leaves the transaction open; anything worse ends
        // it for all.
        if (!database.inTransaction) throw error
        return () => reject(unavailableOr(error))
      }
    })
    isCommitting = true
    database.exec('commit')
    assertFilesUnmoved(database, 'unknown')
    for (const one of settle) one()
  } catch (error) {
    if (database.inTransaction) database.exec('rollback')
    throw isCommitting ? unavailableAfterCommit(error) : unavailableOr(error)
  }
}
