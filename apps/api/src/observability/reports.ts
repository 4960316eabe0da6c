import type { Checks, HttpLog } from '@pet-store/http-express'
import type { KeyChange } from './key-changes.ts'

/** Functions with which the parts of the program report what happens. */
export interface Reports {
  /** Gets each request, and each internal error. */
  readonly log: HttpLog
  /**
   * Returns how many log lines were dropped since the start, because the output was full or closed.
   */
  readonly droppedLogLines: () => number
  /**
   * Called each time that the program becomes ready or stops being ready, with the reason if there
   * is one.
   */
  readonly onReadiness: (checks: Checks, isReady: boolean, reason?: unknown) => void
  /** Called when a client address has tried too many API keys. */
  readonly onLookUpLimit: (address: string) => void
  /** Called when an API key was created, rotated or revoked, by any process. */
  readonly onKeyChange: (change: KeyChange) => void
  /**
   * Called when work failed that no request waits for, such as deleting expired idempotency keys.
   */
  readonly onBackgroundFailure: (error: unknown) => void
  /** Called when traces could not be sent. */
  readonly onTraceError: (error: unknown) => void
}

/** Ignores all reports. For running the program inside another one. */
export const NO_REPORTS: Reports = {
  log: { request() {}, internalError() {} },
  droppedLogLines: () => 0,
  onReadiness() {},
  onLookUpLimit() {},
  onKeyChange() {},
  onBackgroundFailure() {},
  onTraceError() {},
}
