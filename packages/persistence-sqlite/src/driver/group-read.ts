import type { Database } from 'better-sqlite3'
import { unavailableOr } from '../unavailable.ts'

/** Collects reads, so that they run right after one another. */
export interface GroupRead {
  /** Runs a read at the end of this turn of the event loop. A read that throws fails alone. */
  add<Result>(read: () => Result): Promise<Result>
  /** Runs at once what is waiting. */
  flush(): void
}

/**
 * Reads of one turn of the event loop run in one go, on one snapshot. By itself each would find the processor's caches
 * full of HTTP, and would lock and unlock the file: the first of a group takes three times as long as the others.
 */
export function createGroupRead(database: Database): GroupRead {
  const begin = database.prepare('begin')
  const commit = database.prepare('commit')
  let waiting: (() => void)[] = []

  function flush(): void {
    const group = waiting
    waiting = []
    // The ORM works on the same connection, and may be in a transaction of its own. Of a closed database each read says so.
    const isTogether = group.length > 1 && database.open && !database.inTransaction
    if (isTogether) begin.run()
    for (const read of group) read()
    // A fault of the disk ends the transaction by itself.
    if (isTogether && database.inTransaction) commit.run()
  }

  return {
    add<Result>(read: () => Result) {
      return new Promise<Result>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        waiting.push(() => {
          try {
            resolve(read())
          } catch (error) {
            reject(unavailableOr(error))
          }
        })
      })
    },
    flush,
  }
}
