import assert from 'node:assert/strict'
import { startDeadline } from '@pet-store/persistence'

/** What the message says when the time was over. */
export const NEVER_ENDED = 'did not end within'

/**
 * Rejects when the work takes longer; `subject` says whose time it is. Time in which this process gets no processor counts only in
 * part: a busy machine breaks no guarantee. Work that never ends is abandoned.
 */
export async function endWithin<Result>(
  limitMs: number,
  work: () => Promise<Result>,
  subject = 'The case',
): Promise<Result> {
  let cancelDeadline = () => {}
  const message = `${subject} ${NEVER_ENDED} ${Math.round(limitMs)} ms.`
  const limit = new Promise<never>((_, reject) => {
    const error = new assert.AssertionError({ message })
    cancelDeadline = startDeadline(limitMs, () => reject(error))
  })
  try {
    return await Promise.race([work(), limit])
  } finally {
    cancelDeadline()
  }
}
