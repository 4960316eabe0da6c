import { randomUUID } from 'node:crypto'

/** Printable ASCII, at most 128 characters; anything else could break a log line or a header. */
const SAFE_REQUEST_ID = /^[\x20-\x7e]{1,128}$/

/** The request's own `X-Request-Id` where it is safe to repeat, else a new UUID. */
export function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && SAFE_REQUEST_ID.test(sent) ? sent : randomUUID()
}
