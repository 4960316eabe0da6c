import { connectionFailed, responseError, timedOut, unexpectedResponse } from './attempt-error.ts'
import type { AttemptOptions, Call } from './call.ts'
import { notifyResponse } from './hooks.ts'
import { reasonOf } from './retry.ts'

/**
 * Makes one request. Rejects with a `PetStoreError`, or with the reason of the signal if that was
 * aborted. `mayBeDone` says that an earlier attempt may have been carried out.
 */
export async function attempt<T>(
  options: AttemptOptions,
  call: Call<T>,
  mayBeDone: boolean,
  signal?: AbortSignal,
): Promise<T> {
  const { response, text } = await exchange(options, call, signal)
  const { method, successStatus, doneStatus } = call.operation
  const { status, headers } = response
  notifyResponse(options.hooks, { method, url: call.url, status, headers })
  if (status !== successStatus && !(mayBeDone && status === doneStatus))
    throw responseError(options, call, response, text)
  try {
    return call.read(text, headers)
  } catch (cause) {
    throw unexpectedResponse(options, call, response, cause)
  }
}

async function exchange(options: AttemptOptions, call: Call<unknown>, signal?: AbortSignal) {
  throwIfAborted(signal)
  const { apiKey, fetch, timeoutMs } = options
  const { operation, url, body, idempotencyKey } = call
  const { method } = operation
  const headers = new Headers(options.headers)
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
    throw abort.signal.aborted
      ? timedOut(options, call, cause)
      : connectionFailed(options, call, cause)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw reasonOf(signal)
}
