import type { Hooks } from './hooks.ts'

/** How one call is made: for every call of a client, or for a single one, which comes first. */
export interface RequestOptions extends Hooks {
  /**
   * For one attempt, up to the end of its response. Default: 30,000. To limit all attempts
   * together, pass a signal.
   */
  readonly timeoutMs?: number | undefined
  /** The number of attempts that may follow a failed first one. Default: 5. */
  readonly retries?: number | undefined
  /**
   * Further header fields, such as `Prefer` or `traceparent`. They replace none that the client
   * sets itself. A call sends its own and the client's.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Where the service is, and how to call it. */
export interface PetStoreClientOptions extends RequestOptions {
  /**
   * The base address, which ends in `/v1`; a trailing slash and a path before it are allowed. In a
   * page it may be relative to the address of the page.
   */
  readonly baseUrl: string | URL
  /** Sent to the base address and nowhere else. Without one the service responds `unauthorized`. */
  readonly apiKey?: string | undefined
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** Options of every operation. */
export interface CallOptions extends RequestOptions {
  /** Cancels the call, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_RETRIES = 5

/** How long an attempt may take, and how many may follow the first. */
export interface CallLimits {
  readonly timeoutMs: number
  readonly retries: number
}

/** The limits of a call. Throws a `TypeError` that names the option. */
export function readLimits(call: RequestOptions, client: RequestOptions = {}): CallLimits {
  const timeoutMs = call.timeoutMs ?? client.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const retries = call.retries ?? client.retries ?? DEFAULT_RETRIES
  // Timers hold 31 bits, and fire at once for more.
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31))
    throw new TypeError('timeoutMs must be from 1 to 2147483647.')
  if (!Number.isInteger(retries) || retries < 0)
    throw new TypeError('retries must be an integer from 0.')
  return { timeoutMs, retries }
}

/** The base address without a trailing slash. */
export function readBaseUrl(baseUrl: string | URL): string {
  // Pages and workers have one; TypeScript's library knows it only where it knows the DOM.
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  try {
    const { protocol, username, password, search, hash, origin, pathname } = new URL(
      baseUrl,
      location?.href,
    )
    if (/^https?:$/.test(protocol) && username + password + search + hash === '')
      return (origin + pathname).replace(/\/+$/, '')
  } catch {
    // The message of `URL` does not name the option.
  }
  throw new TypeError('baseUrl must be an http or https address without user, query and fragment.')
}

/** Throws for a key that no header field can have. */
export function assertApiKey(apiKey: string | undefined): void {
  // `Headers` would reject such a key too, but repeat it in its message.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be one or more visible ASCII characters.')
  }
}
