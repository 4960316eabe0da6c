import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'

/** Default of `retryWhileBusy`: long enough for another process to migrate a large table. */
const TIMEOUT_MS = 60_000
/** How long reads and writes of requests wait for a lock at most. */
export const REQUEST_MAX_WAIT_MS = 5_000

/** The pause before the first retry; it doubles up to the longest. */
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 20

/**
 * Repeats an attempt while another connection holds the lock that it needs, until the time is up; then rejects with the
 * driver's error. The attempt must have changed nothing when it fails with SQLITE_BUSY.
 *
 * SQLite's own `busy_timeout` sleeps on the main thread: no request, not even a health check, would get a response
 * meanwhile. Every connection therefore has a timeout of 0.
 */
export async function retryWhileBusy<Result>(
  attempt: () => Result | Promise<Result>,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await setTimeout(busyPauseMs(retries))
  }
}

/** How long to wait before the next retry, after this number of them. */
export function busyPauseMs(retries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** retries, LONGEST_PAUSE_MS)
}

/** Whether another connection held the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
}
