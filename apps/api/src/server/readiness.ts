import { setTimeout } from 'node:timers/promises'
import type { Checks, ReadinessCheck } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'

/** How long storage may take to answer, in milliseconds. */
const TIMEOUT_MS = 2_000

/** Whether the program can do its work, and since when it is to do no more. */
export interface Readiness {
  readonly check: ReadinessCheck
  /** From now on it is not ready, so that a balancer sends nothing more. */
  stop(): void
}

/** Told each time that the program becomes ready, or ceases to be, with the reason where there is one. */
export type ReadinessListener = (checks: Checks, isReady: boolean, reason?: unknown) => void

/** Looks at storage, at its migrations, and at whether the program is stopping. */
export function createReadiness(storage: Required<Persistence>, onChange: ReadinessListener): Readiness {
  let isStopping = false
  let wasReady = true

  return {
    async check() {
      const looked = await look(storage)
      const checks = {
        storage: looked.storage,
        migrations: looked.migrations,
        process: isStopping ? 'is stopping' : 'ok',
      }
      const isReady = Object.values(checks).every((state) => state === 'ok')
      if (isReady !== wasReady) onChange(checks, isReady, looked.reason)
      wasReady = isReady
      return checks
    },
    stop() {
      isStopping = true
    },
  }
}

async function look(
  storage: Required<Persistence>,
): Promise<{ storage: string; migrations: string; reason?: unknown }> {
  try {
    await inTime(storage.check())
    const isCurrent = await inTime(storage.isMigrated())
    return { storage: 'ok', migrations: isCurrent ? 'ok' : 'are missing' }
  } catch (reason) {
    return { storage: 'does not answer', migrations: 'unknown', reason }
  }
}

async function inTime<Result>(answer: Promise<Result>): Promise<Result> {
  const clock = new AbortController()
  const late = setTimeout(TIMEOUT_MS, undefined, { signal: clock.signal }).then(() => {
    throw new Error(`no answer within ${TIMEOUT_MS} ms`)
  })
  // Cancelled below, which is no failure.
  late.catch(() => {})
  try {
    return await Promise.race([answer, late])
  } finally {
    clock.abort()
  }
}
