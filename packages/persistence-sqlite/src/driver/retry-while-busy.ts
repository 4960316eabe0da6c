import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'

/** Long enough for somebody else to migrate a large table. */
const TIMEOUT_MS = 60_000
const PAUSE_MS = 20

/**
 * Tries again while another connection is in the way. For the two moments at which SQLite's own busy timeout does not
 * do: it is ignored while a new file is switched to write-ahead logging, and it blocks the thread, although the
 * connection in the way may be one of this very process.
 */
export async function retryWhileBusy<Result>(attempt: () => Result): Promise<Result> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await setTimeout(PAUSE_MS)
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
}
