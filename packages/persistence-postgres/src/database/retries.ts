import { setTimeout } from 'node:timers/promises'
import { persistenceUnavailable } from '@pet-store/domain'
import { isConflict } from './failures.ts'

const MAX_RETRIES = 10
const FIRST_PAUSE_MS = 5
const MAX_PAUSE_MS = 200

/**
 * Runs work, and repeats it up to ten times if it fails because of concurrent transactions
 * (SQLSTATE 40001 and 40P01), after pauses that grow exponentially, with jitter. Rejects with
 * `persistence_unavailable`, outcome `not_stored`, if it fails each time.
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
    message: `The statement conflicted with others in each of ${MAX_RETRIES + 1} attempts.`,
    cause: conflict,
  })
}

function pauseMs(retries: number): number {
  const jitter = 0.5 + Math.random()
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (retries - 1)) * jitter
}
