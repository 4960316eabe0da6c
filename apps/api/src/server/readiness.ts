import type { Checks } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { withTimeout } from '@pet-store/persistence/module'
import type { Reports } from '../observability/reports.ts'

/** How long the database may take to respond. */
const TIMEOUT_MS = 2_000
/** How long a result is used again, so that many checks do not slow down requests. */
const MAX_AGE_MS = 1_000

/**
 * Creates the check of whether the program can work: the database, its migrations, and whether the
 * program is stopping.
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
      // One check at a time. Its result is shared by all callers meanwhile and for a second after.
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
    /** Makes the program report that it is not ready, so that load balancers send no requests. */
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
