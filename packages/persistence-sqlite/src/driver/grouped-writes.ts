import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Cancellation } from '@pet-store/domain'
import {
  GroupedStatements,
  type GroupOptions,
  type SqlValue,
  type WaitingStatement,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import {
  isBusy,
  isDiskFailure,
  notStoredOr,
  unavailableAfterCommit,
  unavailableOr,
} from '../database/failures.ts'
import { assertFilesUnmoved } from '../database/files/watched-files.ts'
import { RETRY_PAUSE_MS } from '../database/retries.ts'

/** A commit that takes longer has let other requests wait. */
const SLOW_COMMIT_MS = 5
/**
 * After a slow commit, the next one waits for this number of turns of the event loop. Node accepts
 * one connection in each turn. With a commit in every turn, a slow disk would let a hundred new
 * connections, and the health checks behind them, wait for a hundred commits. The turns take less
 * than a millisecond if there is nothing to do.
 */
const TURNS_AFTER_SLOW_COMMIT = 100

/**
 * Runs a write in the next transaction and resolves after its commit. A write that throws does not
 * affect others. `values` are those that it holds in memory while it waits.
 */
type AddWrite = <Result>(
  write: () => Result,
  values: readonly SqlValue[],
  cancellation?: Cancellation,
) => Promise<Result>

export interface GroupedWrites {
  /** The number of writes whose transaction has not begun. */
  readonly waiting: number
  readonly add: AddWrite
  /** Rejects if the disk has not taken a write, and still takes none. */
  assertTakesWrites(): Promise<void>
}

/**
 * Runs the writes of one turn of the event loop in one transaction. With `synchronous = full`
 * almost all of the cost of a write is its wait for the disk, which a group shares. If the disk is
 * slow, a group has the writes of several turns. If a file of the database is gone, writes reject,
 * even after their commit.
 */
export function createGroupedWrites(database: Database, options?: GroupOptions): GroupedWrites {
  let hasFailed = false
  const noteFailure = (error: unknown) => {
    hasFailed ||= isDiskFailure(error)
  }
  let wasSlow = false
  const grouped = new GroupedStatements<() => unknown, unknown>(async (take) => {
    for (let turn = 0; wasSlow && turn < TURNS_AFTER_SLOW_COMMIT; turn += 1) await setImmediate()
    try {
      assertFilesUnmoved(database)
      database.exec('begin immediate')
    } catch (error) {
      noteFailure(error)
      if (!isBusy(error)) throw unavailableOr(error)
      // Another process is writing. This waits without blocking the thread; the group is then
      // called again, because it has taken no statements.
      return setTimeout(RETRY_PAUSE_MS)
    }
    const begin = performance.now()
    runGroup(database, take(), noteFailure)
    wasSlow = performance.now() - begin > SLOW_COMMIT_MS
  }, options)
  return {
    get waiting() {
      return grouped.waiting
    },
    add: <Result>(write: () => Result, values: readonly SqlValue[], cancellation?: Cancellation) =>
      grouped.add(write, values, cancellation) as Promise<Result>,
    async assertTakesWrites() {
      if (!hasFailed) return
      await grouped.add(() => writePage(database), [])
      // Only this shows it: other writes may succeed because they change nothing.
      hasFailed = false
    },
  }
}

/** Changes nothing, but writes a page of the file. */
function writePage(database: Database): void {
  const version = database.pragma('user_version', { simple: true })
  database.pragma(`user_version = ${version}`)
}

/** Runs the writes of a group, commits them together, and settles each. */
function runGroup(
  database: Database,
  group: readonly WaitingStatement<() => unknown, unknown>[],
  noteFailure: (error: unknown) => void,
): void {
  let isCommitting = false
  try {
    const settle = group.map(({ work, resolve, reject }) => {
      try {
        const result = work()
        return () => resolve(result)
      } catch (error) {
        noteFailure(error)
        // SQLite undoes a statement that breaks a constraint and leaves the transaction open. After
        // a worse error it has ended the transaction, and the whole group fails.
        if (!database.inTransaction) throw error
        return () => reject(notStoredOr(error))
      }
    })
    isCommitting = true
    database.exec('commit')
    assertFilesUnmoved(database, 'unknown')
    for (const one of settle) one()
  } catch (error) {
    noteFailure(error)
    if (database.inTransaction) database.exec('rollback')
    // A constraint may be deferred until the commit.
    throw notStoredOr(isCommitting ? unavailableAfterCommit(error) : error)
  }
}
