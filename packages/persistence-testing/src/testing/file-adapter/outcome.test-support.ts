import type { WriteOutcome } from '@pet-store/domain'

/** What an opening says of a call that it has not sent. */
export function outcomeWhileDown(has: (fault: string) => boolean): WriteOutcome {
  if (has('lies')) return 'maybe' as WriteOutcome
  return has('never-knows') ? 'unknown' : 'not_stored'
}
