import { setTimeout } from 'node:timers/promises'
import { isBusy } from './failures.ts'

/** Long enough for another process to migrate a large table. */
const MAX_WAIT_MS = 60_000

/** The longest wait of a read or write of a request for a lock. */
export const REQUEST_MAX_WAIT_MS = 5_000

/**
 * The pause between two attempts. An attempt takes microseconds, and most locks last one commit.
 */
export const RETRY_PAUSE_MS = 2

/**
 * Runs work, and repeats it while another connection holds the lock that it needs, for at most
 * `waitMs` milliseconds; then rejects with the driver's error. The work must have changed nothing
 * when it fails with SQLITE_BUSY.
 *
 * SQLite's own `busy_timeout` sleeps on the main thread: no request, not even a health check, would
 * get a response meanwhile. Every connection therefore has a timeout of 0.
 */
export async function withRetries<Result>(
  work: () => Result | Promise<Result>,
  waitMs = MAX_WAIT_MS,
): Promise<Result> {
  const deadline = performance.now() + waitMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await setTimeout(RETRY_PAUSE_MS)
  }
}
