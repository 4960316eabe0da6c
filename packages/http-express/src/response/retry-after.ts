/** The header that every 429 and 503 has (RFC 9110, 10.2.3). */
export function retryAfter(seconds: number): { readonly 'Retry-After': string } {
  return { 'Retry-After': String(seconds) }
}

/** How long a client waits where nothing says how long it takes, in seconds. */
export const RETRY_AFTER = {
  /** Others have to end first. */
  overloaded: 1,
  /** The client's network has tried too many keys. */
  tooManyKeys: 1,
  /** The database or the service is not ready. */
  unavailable: 2,
} as const

/** Whole seconds, rounded up, so that a client that waits for them has waited long enough. */
export function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}
