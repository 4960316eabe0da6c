/** A path that no route has. */
const NOWHERE = '/*'

/**
 * The path and query of a request target (RFC 9112, 3.2), those of an absolute-form as well. A target that names
 * nothing here (`*`, one with a fragment) becomes a path that no route has.
 */
export function originForm(target: string | undefined): string {
  if (target === undefined) return NOWHERE
  if (/^\/[^#]*$/.test(target)) return target
  const absolute = /^https?:\/\/[^/?#\\]+(\/[^?#]*)?(\?[^#]*)?$/i.exec(target)
  return absolute === null ? NOWHERE : `${absolute[1] ?? '/'}${absolute[2] ?? ''}`
}
