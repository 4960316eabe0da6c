import { PetStoreError } from './pet-store-error.ts'
import { readRetryAfter } from './retry.ts'

/** What every attempt needs. */
export interface Connection {
  readonly apiKey: string | undefined
  readonly fetch: typeof fetch
  /** For one attempt, from the first byte sent to the last byte read, in milliseconds. */
  readonly timeout: number
}

/** A request, the status of a good answer, and how to read that. */
export interface Call<T> {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly goodStatus: number
  /** Throws where the answer is not what the interface says. */
  readonly read: (text: string, headers: Headers) => T
}

/** Makes one request. Rejects with a `PetStoreError`, or with the reason of the signal where that was aborted. */
export async function attempt<T>(connection: Connection, call: Call<T>, signal?: AbortSignal): Promise<T> {
  const { response, text } = await exchange(connection, call, signal)
  if (response.status !== call.goodStatus) throw refusal(connection, call, response, text)
  try {
    return call.read(text, response.headers)
  } catch (cause) {
    throw unexpectedAnswer(call, response, cause)
  }
}

async function exchange({ apiKey, fetch, timeout }: Connection, call: Call<unknown>, signal?: AbortSignal) {
  signal?.throwIfAborted()
  const headers = new Headers({ Accept: 'application/json', ...call.headers })
  if (apiKey !== undefined) headers.set('Authorization', `Bearer ${apiKey}`)

  const abort = new AbortController()
  const onAbort = () => abort.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => abort.abort(), timeout)
  try {
    const response = await fetch(call.url, {
      method: call.method,
      headers,
      ...(call.body !== undefined && { body: call.body }),
      signal: abort.signal,
      // The service never redirects; whoever does may not see the key.
      redirect: 'manual',
    })
    return { response, text: await response.text() }
  } catch (cause) {
    signal?.throwIfAborted()
    const what = `${call.method} ${call.url}`
    if (abort.signal.aborted) {
      throw new PetStoreError('timeout', `No whole answer to ${what} within ${timeout} ms.`, { cause })
    }
    throw new PetStoreError('connection_failed', `The connection failed before the answer to ${what} was complete.`, {
      cause,
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** The error that the service gave as its answer, or what stands for it where the answer is not the service's. */
function refusal({ apiKey }: Connection, call: Call<unknown>, response: Response, text: string): PetStoreError {
  const { code, message } = errorBody(text)
  if (typeof code !== 'string' || typeof message !== 'string') return unexpectedAnswer(call, response)
  // Whatever stands between may answer with what it was sent.
  const safe = apiKey === undefined ? message : message.replaceAll(apiKey, '<API key>')
  return new PetStoreError(code, safe, detailsOf(response))
}

function errorBody(text: string): { readonly code?: unknown; readonly message?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function unexpectedAnswer(call: Call<unknown>, response: Response, ...causes: readonly unknown[]): PetStoreError {
  const details = { ...detailsOf(response), ...(causes.length > 0 && { cause: causes[0] }) }
  const what = `${call.method} ${call.url}`
  // Pages are not told the status of a redirect that they do not follow.
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    const message = `${what} was answered with a redirect, which is not followed. Is the base address right?`
    return new PetStoreError('unexpected_answer', message, details)
  }
  return new PetStoreError(
    'unexpected_answer',
    `The answer to ${what} (status ${response.status}) is not as the interface says.`,
    details,
  )
}

function detailsOf({ status, headers }: Response) {
  return {
    status: status === 0 ? undefined : status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: readRetryAfter(headers.get('retry-after'), Date.now()),
  }
}
