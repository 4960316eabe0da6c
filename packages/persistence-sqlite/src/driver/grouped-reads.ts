import type { Database } from 'better-sqlite3'
import { isBusy, unavailableOr } from '../database/failures.ts'
import { REQUEST_MAX_WAIT_MS, withRetries } from '../database/retries.ts'

/** Runs a read at the end of this turn of the event loop. A read that throws fails alone. */
export type AddRead = <Result>(read: () => Result) => Promise<Result>

/**
 * The reads of one turn of the event loop run together, on one snapshot. Separately, each would
 * find the processor's caches full of HTTP and would lock and unlock the file: the first of a group
 * takes three times as long as the others.
 *
 * Writers do not block readers. Only while another process recovers the log after a crash is a read
 * retried, for five seconds at most.
 */
export function createGroupedReads(database: Database): AddRead {
  const begin = database.prepare('begin')
  const commit = database.prepare('commit')
  let waiting: (() => void)[] = []

  function flush(): void {
    const group = waiting
    waiting = []
    // If the database is closed, each read rejects.
    const isTogether = group.length > 1 && database.open
    if (isTogether) begin.run()
    for (const read of group) read()
    // A disk error ends the transaction by itself.
    if (isTogether && database.inTransaction) commit.run()
  }

  return (read) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push(() => {
        try {
          resolve(read())
        } catch (error) {
          if (isBusy(error))
            withRetries(read, REQUEST_MAX_WAIT_MS).then(resolve, (late) =>
              reject(unavailableOr(late)),
            )
          else reject(unavailableOr(error))
        }
      })
    })
}
