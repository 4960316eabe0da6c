import { HttpError } from '../response/http-error.ts'
import { isHost } from './framing.ts'

const UNKNOWN_PATH = '/unknown'

/**
 * The path and query of a request target (RFC 9112, 3.2), even of an absolute one. A target that
 * Express would reject before any middleware, or misread (`*`, a fragment, invalid
 * percent-encoding), becomes a path without a route.
 */
export function originForm(target: string = UNKNOWN_PATH): string {
  if (/^\/[^#%]*$/.test(target)) return target
  const absolute = /^https?:\/\/[^/?#\\]+(\/[^?#]*)?(\?[^#]*)?$/i.exec(target)
  const relative = absolute === null ? target : `${absolute[1] ?? '/'}${absolute[2] ?? ''}`
  return /^\/[^#]*$/.test(relative) ? decodableTarget(relative) : UNKNOWN_PATH
}

/**
 * Returns a request target whose path Express can decode. A path with invalid percent-encoding
 * becomes one that has no route but the same prefix, so that the app that is mounted there responds
 * with its own 404.
 */
export function decodableTarget(target: string): string {
  const path = target.replace(/\?.*/s, '')
  return isDecodable(path) ? target : `${path.replaceAll('%', '%25')}//`
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** The error for a target `*`, the server as a whole (RFC 9112, 3.2.4), with another method. */
const ASTERISK = new HttpError('invalid_request', 'The target * is for OPTIONS alone.')

const AUTHORITY = new HttpError(
  'invalid_request',
  'The target must have one host, of the form host or host:port.',
)

/**
 * The error for an absolute target without exactly one valid host, or for `*` with another method
 * than OPTIONS; `undefined` for any other target.
 */
export function targetError(
  target: string | undefined,
  method: string | undefined,
): HttpError | undefined {
  if (target === undefined || target.startsWith('/')) return undefined
  if (target === '*') return method === 'OPTIONS' ? undefined : ASTERISK
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? []
  // A target with another scheme becomes an unknown path.
  if (host === undefined) return undefined
  return host !== '' && isHost(host) ? undefined : AUTHORITY
}
