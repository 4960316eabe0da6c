/** Where the app tells what happened. Never called with a key, a header or a body. */
export interface HttpLog {
  /** A request has come; `request` will tell how it ended. */
  begin?(): void
  /** One answered (or broken off) request. */
  request(entry: RequestEntry): void
  /** A fault of ours, whose cause no caller sees. */
  fault(error: unknown, requestId: string): void
}

/** One request, for a log line. */
export interface RequestEntry {
  readonly requestId: string
  /** Left out where the request could not be parsed. */
  readonly method?: string | undefined
  /** The route's template, so that lines can be counted; left out for unknown paths. */
  readonly route?: string | undefined
  readonly status: number
  readonly durationMs: number
  /** The public id of the key that was used, never the key. */
  readonly keyId?: string | undefined
  /** Where the request came from, as far as the trusted proxies tell. */
  readonly clientAddress?: string | undefined
  /** False when the connection broke before the answer was sent. */
  readonly isComplete: boolean
}
