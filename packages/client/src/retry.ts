import { PetStoreError } from './pet-store-error.ts'

/** The first retry comes after this time or up to half of it less, in milliseconds; each further one after twice as long. */
const FIRST_DELAY = 500
const LONGEST_DELAY = 8_000
/** Whoever is asked to wait longer than this decides for himself: coming earlier would break the request. */
const LONGEST_RETRY_AFTER = 30_000

/** Too many requests, not available, and how a proxy says that it could not reach the service. */
const PASSING_STATUSES: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504])
const PASSING_CODES: ReadonlySet<string> = new Set(['connection_failed', 'timeout'])

/** How often and when a failed attempt is repeated. */
export interface RetryPlan {
  /** How many attempts may follow the first one. */
  readonly retries: number
  /** Resolves after so many milliseconds; rejects with the reason of the signal when that is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** From 0 up to, but not including, 1. */
  readonly random: () => number
}

/** Repeats what failed for a passing reason. Only for what may be done twice without harm. */
export async function withRetries<T>(attempt: () => Promise<T>, { retries, sleep, random }: RetryPlan): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (failures >= retries || !mayPass(error)) throw error
      // Half of it is chance, so that clients that failed together do not come back together. Half is certain, so that
      // all attempts together outlast the restart of a service.
      const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** failures)
      await sleep((error.retryAfter ?? 0) + (delay / 2) * (1 + random()))
    }
  }
}

function mayPass(error: unknown): error is PetStoreError {
  return (
    error instanceof PetStoreError &&
    (PASSING_CODES.has(error.code) || PASSING_STATUSES.has(error.status)) &&
    (error.retryAfter ?? 0) <= LONGEST_RETRY_AFTER
  )
}

/** The wait that a `Retry-After` asks for (RFC 9110, 10.2.3), in milliseconds; `undefined` where it asks for none. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^[0-9]+$/.test(header)) return Number(header) * 1000
  const date = header.endsWith('GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Waits; rejects with the reason of the signal as soon as that is aborted. */
export function sleepUnless(signal: AbortSignal | undefined, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
