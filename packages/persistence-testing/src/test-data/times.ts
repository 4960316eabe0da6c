/**
 * An hour ago, with milliseconds: what ends a moment later has expired already, whatever clock
 * looks at it.
 */
const START_MS: number = Math.floor(Date.now() / 1000) * 1000 - 3_600_000 + 123

/** A time after the start. */
export function after(durationMs: number): Date {
  return new Date(START_MS + durationMs)
}
