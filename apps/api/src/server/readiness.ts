import type { Checks } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { withTimeout } from '@pet-store/persistence/module'
import type { Reports } from '../observability/reports.ts'

/** How long the database may take to respond. */
const TIMEOUT_MS = 2_000
/**
 * How long the state of the database is used again, so that checks cannot take it away from
 * requests.
 */
const MAX_AGE_MS = 1_000

/**
 * Whether the program can do its work: checks the database, its migrations, and whether the program
 * is stopping.
 */
export function createReadiness(
  persistence: Required<Persistence>,
  onChange: Reports['onReadiness'],
) {
  let isStopping = false
  let wasReady = true
  let latest: ReturnType<typeof readState> | undefined

  return {
    async check(): Promise<Checks> {
      // One at a time, shared by all who ask meanwhile and for a second after it.
      latest ??= readState(persistence).finally(() => {
        setTimeout(() => {
          latest = undefined
        }, MAX_AGE_MS).unref()
      })
      const { database, migrations, reason } = await latest
      const checks = { database, migrations, process: isStopping ? 'is stopping' : 'ok' }
      const isReady = Object.values(checks).every((state) => state === 'ok')
      if (isReady !== wasReady) onChange(checks, isReady, reason)
      wasReady = isReady
      return checks
    },
    /** From now on the program is not ready, so that a load balancer sends nothing more. */
    stop(): void {
      isStopping = true
    },
  }
}

async function readState(persistence: Required<Persistence>) {
  try {
    await withTimeout(persistence.check(), TIMEOUT_MS)
    const isMigrated = await withTimeout(persistence.isMigrated(), TIMEOUT_MS)
    return { database: 'ok', migrations: isMigrated ? 'ok' : 'are pending' }
  } catch (reason) {
    return { database: 'is unavailable', migrations: 'unknown', reason }
  }
}
