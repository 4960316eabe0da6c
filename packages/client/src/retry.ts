import { type Hooks, notify } from './hooks.ts'
import { PetStoreError } from './pet-store-error.ts'

/**
 * The delay before the first retry, of which up to half is taken off at random; it doubles with
 * each further one.
 */
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 8_000
/**
 * For a longer `Retry-After` the call rejects at once: a retry before it would violate the
 * service's request.
 */
const MAX_RETRY_AFTER_MS = 30_000

/**
 * A request that arrived too slowly, too many requests, unavailable, and a proxy that could not
 * reach the service.
 */
const TRANSIENT_STATUSES: ReadonlySet<number | undefined> = new Set([408, 429, 502, 503, 504])
const TRANSIENT_CODES: ReadonlySet<string> = new Set(['connection_failed', 'timeout'])
/** Of these, those after which it is known that the operation was not carried out. */
const REJECTED_STATUSES: ReadonlySet<number | undefined> = new Set([408, 429])

export interface RetryOptions {
  readonly retries: number
  readonly signal?: AbortSignal | undefined
  readonly hooks?: Hooks
}

/**
 * Repeats an attempt that failed for a transient reason, at most `retries` times. Only for
 * requests that can be repeated. Between two attempts it rejects with the reason of the signal as
 * soon as that is aborted. An attempt is told whether an earlier one may have been carried out.
 */
export async function withRetries<T>(
  attempt: (mayBeDone: boolean) => Promise<T>,
  { retries, signal, hooks }: RetryOptions,
): Promise<T> {
  let mayBeDone = false
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt(mayBeDone)
    } catch (error) {
      if (failures >= retries || !isTransient(error)) throw error
      mayBeDone ||= !REJECTED_STATUSES.has(error.status)
      // Half of the delay is random, so that clients that failed together do not retry together.
      // The other half is not, so that all attempts together outlast a restart of the service.
      const backOffMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures)
      const delayMs = (error.retryAfterMs ?? 0) + (backOffMs / 2) * (1 + Math.random())
      notify(hooks?.onRetry, { error, retry: failures + 1, delayMs })
      await sleepUnless(signal, delayMs)
    }
  }
}

function isTransient(error: unknown): error is PetStoreError {
  return (
    error instanceof PetStoreError &&
    // With a status the code is the service's, whatever it says.
    (error.status === undefined
      ? TRANSIENT_CODES.has(error.code)
      : TRANSIENT_STATUSES.has(error.status)) &&
    (error.retryAfterMs ?? 0) <= MAX_RETRY_AFTER_MS
  )
}

/**
 * The delay that a `Retry-After` header requests (RFC 9110, 10.2.3), in milliseconds; `undefined`
 * without a valid one.
 */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^[0-9]+$/.test(header)) return Number(header) * 1000
  const date = header.endsWith('GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}

function sleepUnless(signal: AbortSignal | undefined, delayMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal && reasonOf(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, delayMs)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Why a signal was aborted. Those of React Native have no reason. */
export function reasonOf({ reason }: AbortSignal): unknown {
  return reason ?? Object.assign(new Error('The call was aborted.'), { name: 'AbortError' })
}
