/** The header that every 429 and 503 has (RFC 9110, 10.2.3). */
export function retryAfter(seconds: number): { readonly 'Retry-After': string } {
  return { 'Retry-After': String(seconds) }
}

/** How long a client is told to wait, where the real time is not known. */
export const RETRY_AFTER_SECONDS = {
  /** Other requests have to end first. */
  overloaded: 1,
  /** The network of the client has tried too many keys. */
  tooManyKeys: 1,
  /** The database or the service is not ready. */
  unavailable: 2,
} as const

/**
 * Whole seconds, rounded up, so that a client that waits for them waits long enough; at least 1.
 */
export function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}
