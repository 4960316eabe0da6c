import type { Database } from 'better-sqlite3'
import { isBusy, unavailableOr } from '../database/failures.ts'
import { assertNotOverwritten } from '../database/files/watched-files.ts'
import { REQUEST_MAX_WAIT_MS, withRetries } from '../database/retries.ts'

/**
 * Runs a read at the end of this turn of the event loop. A read that throws does not affect others.
 */
export type AddRead = <Result>(read: () => Result) => Promise<Result>

/**
 * Runs the reads of one turn of the event loop together, in one transaction. A read that runs alone
 * has to lock and unlock the file, and finds other data in the caches of the processor. The first
 * read of a group takes three times as long as the others.
 *
 * Writers do not block readers. A read is retried, for at most five seconds, only while another
 * process recovers the log after a crash.
 */
export function createGroupedReads(database: Database): AddRead {
  const begin = database.prepare('begin')
  const commit = database.prepare('commit')
  let waiting: (() => void)[] = []

  function runGroup(): void {
    const group = waiting
    waiting = []
    // If the database is closed, each read rejects.
    const isTogether = group.length > 1 && database.open
    if (isTogether) begin.run()
    for (const read of group) read()
    // After a disk error SQLite has ended the transaction already.
    if (isTogether && database.inTransaction) commit.run()
  }

  return (read) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(runGroup)
      waiting.push(() => {
        try {
          assertNotOverwritten(database)
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
