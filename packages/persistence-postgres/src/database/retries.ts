import { setTimeout } from 'node:timers/promises'
import { persistenceUnavailable } from '@pet-store/domain'
import { isConflict } from './failures.ts'

const MAX_RETRIES = 10
const FIRST_PAUSE_MS = 5
const MAX_PAUSE_MS = 200

/**
 * Runs work, and runs it again if it has failed because of others at the same time (SQLSTATE 40001
 * and 40P01), with longer and longer pauses, with jitter. Rejects with `persistence_unavailable`,
 * outcome `not_stored`, if it fails each time.
 */
export async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  let conflict: unknown
  for (let retries = 0; retries <= MAX_RETRIES; retries += 1) {
    if (retries > 0) await setTimeout(pauseMs(retries))
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error)) throw error
      conflict = error
    }
  }
  throw persistenceUnavailable({
    message: 'The statement conflicts with others that run at the same time.',
    cause: conflict,
  })
}

function pauseMs(retries: number): number {
  const jitter = 0.5 + Math.random()
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (retries - 1)) * jitter
}
