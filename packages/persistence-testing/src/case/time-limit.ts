import assert from 'node:assert/strict'
import { startDeadline } from '@pet-store/persistence'
import { isMachineBusy } from './busy-machine.ts'

/** What the message says when the time was over. */
export const NEVER_ENDED = 'did not end within'

/**
 * Rejects when the work takes longer; `subject` says whose time it is. Time in which this process
 * gets no processor counts only in part: a busy machine breaks no guarantee. Work that never ends
 * is abandoned.
 */
export function endWithin<Result>(
  limitMs: number,
  work: () => Promise<Result>,
  subject = 'The case',
): Promise<Result> {
  return endOnTime(limitMs, work, subject, () => false)
}

/** How often a case gets more time, and how much at most. */
const EXTENSIONS = 2
const MOST_MORE_MS = 20_000

/**
 * The same for a whole case. If the machine is busy when the time is over, the case gets more. Its
 * database may be a process that waits for a processor while this one waits for a response.
 */
export function endCaseWithin<Result>(
  limitMs: number,
  work: () => Promise<Result>,
  isBusy: () => boolean = isMachineBusy,
): Promise<Result> {
  return endOnTime(limitMs, work, 'The case', isBusy)
}

async function endOnTime<Result>(
  limitMs: number,
  work: () => Promise<Result>,
  subject: string,
  isBusy: () => boolean,
): Promise<Result> {
  let cancelDeadline = () => {}
  const limit = new Promise<never>((_, reject) => {
    const begin = (durationMs: number, allowedMs: number, extensions: number) => {
      const message = `${subject} ${NEVER_ENDED} ${Math.round(allowedMs)} ms.`
      cancelDeadline = startDeadline(durationMs, () => {
        const moreMs = Math.min(limitMs, MOST_MORE_MS)
        if (extensions > 0 && isBusy()) begin(moreMs, allowedMs + moreMs, extensions - 1)
        else reject(new assert.AssertionError({ message }))
      })
    }
    begin(limitMs, limitMs, EXTENSIONS)
  })
  try {
    return await Promise.race([work(), limit])
  } finally {
    cancelDeadline()
  }
}
