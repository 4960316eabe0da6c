import { type Hooks, notifyResponse } from './hooks.ts'
import {
  PetStoreError,
  type PetStoreErrorCode,
  type PetStoreErrorDetails,
} from './pet-store-error.ts'
import { readRetryAfter, reasonOf } from './retry.ts'

/** What every attempt needs. */
export interface Connection {
  readonly apiKey: string | undefined
  readonly fetch: typeof fetch
  /** For one attempt, from the first byte sent to the last byte read. */
  readonly timeoutMs: number
  /** The caller's, in addition to what the call itself needs. */
  readonly headers: Headers
  readonly hooks: Hooks
}

/** How an operation is sent, and what its responses mean. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The status of its success. */
  readonly successStatus: number
  /**
   * Whether a second request changes nothing more than the first (RFC 9110, 9.2.2). Any other
   * operation is repeated only with an `Idempotency-Key`.
   */
  readonly isIdempotent: boolean
  /**
   * What means success, too, after an attempt that may have been carried out although its response
   * was lost: 404 for a DELETE, since the pet is gone. Default: nothing.
   */
  readonly doneStatus?: number
}

/** A request of an operation, and how to read the response of its success. */
export interface Call<T> {
  readonly operation: Operation
  readonly url: string
  readonly idempotencyKey?: string
  /** JSON. */
  readonly body?: string
  /** Throws where the response is not what the interface specifies. */
  readonly read: (text: string, headers: Headers) => T
}

/**
 * Makes one request. Rejects with a `PetStoreError`, or with the reason of the signal if that was
 * aborted. `mayBeDone` says that an earlier attempt may have been carried out.
 */
export async function attempt<T>(
  connection: Connection,
  call: Call<T>,
  mayBeDone: boolean,
  signal?: AbortSignal,
): Promise<T> {
  const { response, text } = await exchange(connection, call, signal)
  const { method, successStatus, doneStatus } = call.operation
  const { status, headers } = response
  notifyResponse(connection.hooks, { method, url: call.url, status, headers })
  if (status !== successStatus && !(mayBeDone && status === doneStatus))
    throw errorOf(connection, call, response, text)
  try {
    return call.read(text, headers)
  } catch (cause) {
    throw unexpectedResponse(connection, call, response, { cause })
  }
}

async function exchange(connection: Connection, call: Call<unknown>, signal?: AbortSignal) {
  throwIfAborted(signal)
  const { apiKey, fetch, timeoutMs } = connection
  const { operation, url, body, idempotencyKey } = call
  const { method } = operation
  const headers = new Headers(connection.headers)
  headers.set('Accept', 'application/json')
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
  if (apiKey !== undefined) headers.set('Authorization', `Bearer ${apiKey}`)

  const abort = new AbortController()
  const onAbort = () => abort.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => abort.abort(), timeoutMs)
  // A `fetch` that ignores its signal must not make the caller wait.
  const aborted = new Promise<never>((_resolve, reject) => {
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true })
  })
  const send = async () => {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: abort.signal,
      // The service never redirects, and another server must not see the key.
      redirect: 'manual',
    })
    if (abort.signal.aborted) await response.body?.cancel()
    return { response, text: await response.text() }
  }
  try {
    return await Promise.race([send(), aborted])
  } catch (cause) {
    throwIfAborted(signal)
    const request = `${method} ${url}`
    if (abort.signal.aborted) {
      throw failure(
        connection,
        call,
        'timeout',
        `No complete response to ${request} within ${timeoutMs} ms.`,
        { cause },
      )
    }
    const message = `The connection failed before the response to ${request} was complete.`
    throw failure(connection, call, 'connection_failed', message, { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw reasonOf(signal)
}

/**
 * The error that the service responded with, or `unexpected_response` where the response is not the
 * service's.
 */
function errorOf(
  connection: Connection,
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
      return failure(connection, call, code, message, detailsOf(response))
    }
  } catch {
    // Not JSON, or null.
  }
  return unexpectedResponse(connection, call, response, {})
}

function unexpectedResponse(
  connection: Connection,
  call: Call<unknown>,
  response: Response,
  options: ErrorOptions,
): PetStoreError {
  const { operation, url } = call
  const { method } = operation
  // Browsers hide the status of a redirect that is not followed.
  const isRedirect =
    response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
  const message = isRedirect
    ? `The response to ${method} ${url} is a redirect, which is not followed. ` +
      'Check the base address.'
    : `The response to ${method} ${url} (status ${response.status}) does not conform to the ` +
      'interface.'
  const details = { ...detailsOf(response), ...options }
  return failure(connection, call, 'unexpected_response', message, details)
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
  { apiKey }: Connection,
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
