import { setTimeout } from 'node:timers/promises'
import { isConflict, notSent } from '../unavailable.ts'

const MAX_RETRIES = 10
const FIRST_PAUSE_MS = 5
const MAX_PAUSE_MS = 200

/**
 * Runs work again that has failed because of others at the same time, with longer and longer pauses, at random so that two
 * do not meet again. Rejects with `persistence_unavailable`, outcome `not_stored`, if it fails each time.
 */
export async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  let conflict: unknown
  for (let count = 0; count < MAX_RETRIES; count += 1) {
    await setTimeout(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** count) * (0.5 + Math.random()))
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error)) throw error
      conflict = error
    }
  }
  throw notSent('The statement conflicts with others that run at the same time.', conflict)
}

/** Runs work, and runs it again if it has failed because of others at the same time. */
export async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (isConflict(error)) return retryConflicts(work)
    throw error
  }
}
