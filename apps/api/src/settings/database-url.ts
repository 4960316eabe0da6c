/** What is wrong with the URL of a database, without its secrets. */
export function wrongUrl(url: string): string {
  const rule = 'must be sqlite: and the path of a file, or postgres://user:password@host/database'
  const hint = /^postgres(?:ql)?:\/\//.test(url) ? ESCAPES_HINT : ''
  return `${rule}, got ${JSON.stringify(maskUrl(url))}${hint}`
}

const ESCAPES_HINT = '; in a password write @ as %40, / as %2F, : as %3A, # as %23, % as %25'

/**
 * The built-in adapter of a URL; `undefined` if there is none, or an @ in the path belongs to a
 * password with a slash.
 */
export function databaseKind(url: string): 'sqlite' | 'postgres' | undefined {
  if (/^sqlite:.+/.test(url)) return 'sqlite'
  return /^postgres(?:ql)?:\/\/(?![^?]*\/[^?]*@)/.test(url) && URL.canParse(url)
    ? 'postgres'
    : undefined
}

const MASK = '***'

/**
 * A URL that may be shown or logged: only what is known to hold no secret remains. A third-party
 * adapter may take text of another form, which is shown if nothing in it can be a password or a
 * parameter.
 */
export function maskUrl(text: string): string {
  if (text.startsWith('sqlite:')) return text
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? []
  if (scheme === undefined) return /[@?;=#]/.test(text) ? MASK : text
  const parts = /^(?:([^/?#]*)@)?([\w.:,[\]-]*)(\/[^?#]*)?([?#].*)?$/s.exec(
    text.slice(scheme.length),
  )
  const [, user, host = '', path = '', rest = ''] = parts ?? []
  // An @ behind the host: a password with a slash in it looks like this. Some drivers take
  // parameters after a semicolon.
  if (parts === null || /[@;]/.test(path + rest)) return scheme + MASK
  // In web addresses a user or a path can be a token.
  const isWeb = /^https?:/i.test(scheme)
  const shownUser = user && (isWeb ? MASK : user.replace(/:.*/s, `:${MASK}`))
  const shownPath = isWeb && path.length > 1 ? `/${MASK}` : path
  const shownRest = rest && rest.charAt(0) + MASK
  return `${scheme}${shownUser ? `${shownUser}@` : ''}${host}${shownPath}${shownRest}`
}
