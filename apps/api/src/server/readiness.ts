import { setTimeout } from 'node:timers/promises'
import type { ReadinessCheck } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import type { Reports } from '../observability/log.ts'

/** How long the database may take to respond. */
const TIMEOUT_MS = 2_000

/** Whether the program can do its work. */
export interface Readiness {
  readonly check: ReadinessCheck
  /** From now on it is not ready, so that a load balancer sends nothing more. */
  stop(): void
}

/** Checks the database, its migrations, and whether the program is stopping. */
export function createReadiness(persistence: Required<Persistence>, onChange: Reports['onReadiness']): Readiness {
  let isStopping = false
  let wasReady = true

  return {
    async check() {
      const { storage, migrations, reason } = await checkPersistence(persistence)
      const checks = { storage, migrations, process: isStopping ? 'is stopping' : 'ok' }
      const isReady = Object.values(checks).every((state) => state === 'ok')
      if (isReady !== wasReady) onChange(checks, isReady, reason)
      wasReady = isReady
      return checks
    },
    stop() {
      isStopping = true
    },
  }
}

async function checkPersistence(
  persistence: Required<Persistence>,
): Promise<{ storage: string; migrations: string; reason?: unknown }> {
  try {
    await withTimeout(persistence.check())
    const isMigrated = await withTimeout(persistence.isMigrated())
    return { storage: 'ok', migrations: isMigrated ? 'ok' : 'are pending' }
  } catch (reason) {
    return { storage: 'is unavailable', migrations: 'unknown', reason }
  }
}

async function withTimeout<Result>(result: Promise<Result>): Promise<Result> {
  const timer = new AbortController()
  const timeout = setTimeout(TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no response within ${TIMEOUT_MS} ms`)
  })
  // Aborted below, which is not a failure.
  timeout.catch(() => {})
  try {
    return await Promise.race([result, timeout])
  } finally {
    timer.abort()
  }
}
