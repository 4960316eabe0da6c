import type { Checks, HttpLog } from '@pet-store/http-express'
import type { KeyChange } from './key-changes.ts'

/** What the parts of the program report. */
export interface Reports {
  /** One line for each request; internal errors with their cause and stack. */
  readonly log: HttpLog
  /** How many lines were dropped since the start, because the output was full or closed. */
  readonly droppedLogLines: () => number
  /**
   * Called each time that the program becomes ready, or is ready no more, with the reason if there
   * is one.
   */
  readonly onReadiness: (checks: Checks, isReady: boolean, reason?: unknown) => void
  /** Called when a client address has used up its look-ups of API keys. */
  readonly onLookUpLimit: (address: string) => void
  /** Called when somebody created, rotated or revoked an API key, whichever process did it. */
  readonly onKeyChange: (change: KeyChange) => void
  /**
   * Called when work failed that no request waits for, such as deleting expired idempotency keys.
   */
  readonly onBackgroundFailure: (error: unknown) => void
  /** Called when traces could not be sent. */
  readonly onTraceError: (error: unknown) => void
}

/** Reports nothing: for the program inside another one. */
export const NO_REPORTS: Reports = {
  log: { request() {}, internalError() {} },
  droppedLogLines: () => 0,
  onReadiness() {},
  onLookUpLimit() {},
  onKeyChange() {},
  onBackgroundFailure() {},
  onTraceError() {},
}
