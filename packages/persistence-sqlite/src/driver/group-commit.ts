import type { Database } from 'better-sqlite3'
import { unavailableOr } from '../unavailable.ts'

/** Collects writes, so that one wait for the disk serves many. */
export interface GroupCommit {
  /** Runs a write in the next transaction; answered after its commit. A write that throws fails alone. */
  add<Result>(write: () => Result): Promise<Result>
  /** Commits at once what is waiting. */
  flush(): void
}

interface Waiting {
  /** Runs the write; what it gives tells the caller, once the commit is done. */
  run(): () => void
  fail(error: unknown): void
}

/**
 * Writes of one turn of the event loop share a transaction. With `synchronous = full` the disk is the whole price of
 * a write, so sharing it is what makes full durability affordable.
 */
export function createGroupCommit(database: Database): GroupCommit {
  let waiting: Waiting[] = []

  function flush(): void {
    if (waiting.length === 0) return
    const group = waiting
    waiting = []
    try {
      database.exec('begin immediate')
      const answers = group.map((write) => write.run())
      database.exec('commit')
      for (const answer of answers) answer()
    } catch (error) {
      // Busy for too long, or the disk is full: nothing of this group is stored.
      for (const write of group) write.fail(unavailableOr(error))
      if (database.inTransaction) database.exec('rollback')
    }
  }

  function flushWhenFree(): void {
    // The ORM works on the same connection: inside a transaction of its own our writes would share its fate.
    if (database.inTransaction) setImmediate(flushWhenFree)
    else flush()
  }

  return {
    add<Result>(write: () => Result) {
      return new Promise<Result>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flushWhenFree)
        waiting.push({
          run() {
            try {
              const result = write()
              return () => resolve(result)
            } catch (error) {
              // A refused statement undoes itself and leaves the transaction open; anything worse ends it for all.
              if (!database.inTransaction) throw error
              return () => reject(error)
            }
          },
          fail: reject,
        })
      })
    },
    flush,
  }
}
