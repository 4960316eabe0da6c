import type { PetStoreError } from './pet-store-error.ts'

/** A response of the service, or of a proxy before it. */
export interface ResponseDetails {
  readonly method: string
  readonly url: string
  readonly status: number
  /** Such as `Idempotency-Replayed`, `RateLimit` and `X-Request-Id`. */
  readonly headers: Headers
}

/** An attempt that failed and is repeated. */
export interface RetryDetails {
  /** Why it failed. */
  readonly error: PetStoreError
  /** 1 for the first retry. */
  readonly retry: number
  /** How long the client waits before it. */
  readonly delayMs: number
}

/** A response of an operation that will be removed. */
export interface DeprecationDetails extends ResponseDetails {
  /** Since when it is deprecated (RFC 9745); absent if the response does not say. */
  readonly since?: Date
  /** When it will be removed (RFC 8594); absent if the response does not say. */
  readonly sunset?: Date
}

/**
 * Functions that get what happens during a call. What they throw does not change the call: it
 * is uncaught, like an error of an event listener.
 */
export interface Hooks {
  /** Called for each response that arrives, of failed attempts too. */
  readonly onResponse?: ((response: ResponseDetails) => void) | undefined
  /** Called before the wait for each retry. */
  readonly onRetry?: ((retry: RetryDetails) => void) | undefined
  /** Called for each response that says that its operation is deprecated. */
  readonly onDeprecation?: ((deprecation: DeprecationDetails) => void) | undefined
}

/** The hooks of a call; each replaces the same hook of the client. */
export function hooksOf(call: Hooks, client: Hooks): Hooks {
  return {
    onResponse: call.onResponse ?? client.onResponse,
    onRetry: call.onRetry ?? client.onRetry,
    onDeprecation: call.onDeprecation ?? client.onDeprecation,
  }
}

/** Calls a hook, if there is one. */
export function notify<Details>(
  hook: ((details: Details) => void) | undefined,
  details: Details,
): void {
  try {
    hook?.(details)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** Calls the hooks that a response concerns. */
export function notifyResponse(hooks: Hooks, response: ResponseDetails): void {
  notify(hooks.onResponse, response)
  const deprecation = response.headers.get('deprecation')
  if (deprecation === null) return
  const since = dateOf(Number(/^@(\d+)$/.exec(deprecation)?.[1]) * 1000)
  const sunset = dateOf(Date.parse(response.headers.get('sunset') ?? ''))
  notify(hooks.onDeprecation, { ...response, ...(since && { since }), ...(sunset && { sunset }) })
}

function dateOf(timeMs: number): Date | undefined {
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs)
}
