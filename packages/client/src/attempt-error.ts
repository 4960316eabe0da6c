import type { AttemptOptions, Call } from './call.ts'
import {
  PetStoreError,
  type PetStoreErrorCode,
  type PetStoreErrorDetails,
} from './pet-store-error.ts'
import { readRetryAfter } from './retry.ts'

/**
 * The error that the service responded with, or `unexpected_response` where the response is not the
 * service's.
 */
export function responseError(
  options: AttemptOptions,
  call: Call<unknown>,
  response: Response,
  text: string,
): PetStoreError {
  try {
    const { code, message } = JSON.parse(text) as {
      readonly code?: unknown
      readonly message?: unknown
    }
    if (typeof code === 'string' && typeof message === 'string') {
      return failure(options, call, code, message, detailsOf(response))
    }
  } catch {
    // Not JSON, or null.
  }
  return unexpectedResponse(options, call, response)
}

/**
 * The error for a response that does not conform to the interface, or that this engine cannot read:
 * then `cause` is the `RangeError` of `assertExact`.
 */
export function unexpectedResponse(
  options: AttemptOptions,
  call: Call<unknown>,
  response: Response,
  cause?: unknown,
): PetStoreError {
  // Browsers hide the status of a redirect that is not followed.
  const isRedirect =
    response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
  const what = `The response to ${requestOf(call)}`
  const withStatus = `${what} (status ${response.status})`
  const mismatch =
    cause instanceof RangeError
      ? `${withStatus} cannot be read here: ${cause.message}`
      : `${withStatus} does not conform to the interface.`
  const message = isRedirect
    ? `${what} is a redirect, which is not followed. Check the base address.`
    : mismatch
  const details = { ...detailsOf(response), ...(cause !== undefined && { cause }) }
  return failure(options, call, 'unexpected_response', message, details)
}

/** The error for an attempt without a complete response in time. */
export function timedOut(
  options: AttemptOptions,
  call: Call<unknown>,
  cause: unknown,
): PetStoreError {
  const message = `No complete response to ${requestOf(call)} within ${options.timeoutMs} ms.`
  return failure(options, call, 'timeout', message, { cause })
}

/** The error for an attempt whose connection broke, or was never made. */
export function connectionFailed(
  options: AttemptOptions,
  call: Call<unknown>,
  cause: unknown,
): PetStoreError {
  const message = `The connection failed before the response to ${requestOf(call)} was complete.`
  return failure(options, call, 'connection_failed', message, { cause })
}

function requestOf({ operation, url }: Call<unknown>): string {
  return `${operation.method} ${url}`
}

function detailsOf({ status, headers }: Response) {
  return {
    status: status === 0 ? undefined : status,
    requestId: headers.get('x-request-id') ?? undefined,
    // A date is one of the server's clock, which may differ from this one.
    retryAfterMs: readRetryAfter(
      headers.get('retry-after'),
      Date.parse(headers.get('date') ?? '') || Date.now(),
    ),
  }
}

/**
 * An error without the API key in any field: a proxy or a `fetch` of the caller may repeat what it
 * was sent.
 */
function failure(
  { apiKey }: AttemptOptions,
  { idempotencyKey }: Call<unknown>,
  code: PetStoreErrorCode,
  message: string,
  details: PetStoreErrorDetails,
): PetStoreError {
  const redact = (text: string) =>
    apiKey === undefined ? text : text.replaceAll(apiKey, '<API key>')
  return new PetStoreError(redact(code), redact(message), {
    ...details,
    idempotencyKey,
    requestId: details.requestId && redact(details.requestId),
    ...('cause' in details && { cause: redactCause(details.cause, redact) }),
  })
}

/**
 * The name, message, code, stack and causes of an error; anything else in it may hold the request
 * and its headers.
 */
function redactCause(cause: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (!isError(cause)) return redact(String(cause))
  const { name, message, stack, code } = cause
  const copy = new Error(redact(message))
  Object.assign(copy, {
    name: redact(name),
    ...(typeof code === 'string' && { code: redact(code) }),
  })
  if (stack !== undefined) copy.stack = redact(stack)
  if (cause.cause !== undefined && depth < 5)
    copy.cause = redactCause(cause.cause, redact, depth + 1)
  return copy
}

/** Errors of `fetch` may be of another realm than this module, as in Jest: no `instanceof`. */
function isError(cause: unknown): cause is Error & { readonly code?: unknown } {
  const { name, message } = Object(cause) as Partial<Error>
  return typeof name === 'string' && typeof message === 'string'
}
