/** A path without a route, under the base path of the operations and outside. */
const UNKNOWN_PATH = '/*'
const UNKNOWN_OPERATION = '/v1/*'

/**
 * The path and query of a request target (RFC 9112, 3.2), even of an absolute one. A target that Express would reject
 * before any middleware, or misread (`*`, a fragment, invalid percent-encoding), becomes a path without a route.
 */
export function originForm(target: string = UNKNOWN_PATH): string {
  if (/^\/[^#%]*$/.test(target)) return target
  const absolute = /^https?:\/\/[^/?#\\]+(\/[^?#]*)?(\?[^#]*)?$/i.exec(target)
  const relative = absolute === null ? target : `${absolute[1] ?? '/'}${absolute[2] ?? ''}`
  if (!/^\/[^#]*$/.test(relative)) return UNKNOWN_PATH
  if (isDecodable(relative.replace(/\?.*/s, ''))) return relative
  return relative.startsWith('/v1/') ? UNKNOWN_OPERATION : UNKNOWN_PATH
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
