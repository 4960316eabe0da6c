/** Says what is wrong with the URL of a database, without its secrets. */
export function wrongUrl(url: string): string {
  const rule = 'must be sqlite: and the path of a file, or postgres://user:password@host/database'
  return `${rule}, got ${JSON.stringify(maskUrl(url))}${hintFor(url)}`
}

const ESCAPES_HINT = '; in a password write @ as %40, / as %2F, : as %3A, # as %23, % as %25'
const SOCKET_HINT =
  '; for a socket write its folder as the host, / as %2F: postgres://user@%2Frun%2Fpostgresql/name'

function hintFor(url: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(url)) return ''
  return hostsOf(url) === '' ? SOCKET_HINT : ESCAPES_HINT
}

/** The part of a URL that names the host, or several, even if the URL is invalid. */
function hostsOf(url: string): string {
  return /^[^:]+:\/\/(?:[^/?#]*@)?([^@/?#]*)/.exec(url)?.[1] ?? ''
}

/** Says that a URL has several hosts, of which the driver would try none. */
export function wrongHosts(url: string): string | undefined {
  if (!/^postgres(?:ql)?:/.test(url) || !hostsOf(url).includes(',')) return undefined
  return (
    `must have one host, got ${JSON.stringify(maskUrl(url))}: ` +
    'use a name or a proxy that leads to the primary'
  )
}

/**
 * The kind of database that a URL names; `undefined` for any other URL, and for one with an @ in
 * its path, which belongs to a password with a slash that is not encoded.
 */
export function databaseKind(url: string): 'sqlite' | 'postgres' | undefined {
  if (/^sqlite:.+/.test(url)) return 'sqlite'
  return /^postgres(?:ql)?:\/\/(?![^?]*\/[^?]*@)/.test(url) && URL.canParse(url)
    ? 'postgres'
    : undefined
}

/**
 * Says what to use instead of the parameter `schema`, which tools such as Prisma read, but neither
 * PostgreSQL nor its driver. Without an error the tables would be in another schema. `undefined`
 * for a URL without it, and with `public`, which is the schema anyway.
 */
export function wrongSchema(url: string): string | undefined {
  const schema = databaseKind(url) === 'postgres' && new URL(url).searchParams.get('schema')
  if (!schema || schema === 'public') return undefined
  const instead = `options=${encodeURIComponent(`-csearch_path=${schema}`)}`
  return `must not have the parameter schema, which PostgreSQL ignores; use ${instead}`
}

const MASK = '***'

/**
 * Masks a URL so that it may be shown and logged: only parts that cannot be secret remain. The text
 * for a third-party adapter may have another form; it is shown if no part of it can be a password
 * or a parameter.
 */
export function maskUrl(text: string): string {
  if (text.startsWith('sqlite:')) return text
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? []
  if (scheme === undefined) return /[@?;=#]/.test(text) ? MASK : text
  const parts = /^(?:([^/?#]*)@)?([\w.:,[\]-]*)(\/[^?#]*)?([?#].*)?$/s.exec(
    text.slice(scheme.length),
  )
  const [, user, host = '', path = '', rest = ''] = parts ?? []
  // With an @ after the host, the host is part of a password with a slash. After a semicolon some
  // drivers accept parameters.
  if (parts === null || /[@;]/.test(path + rest)) return scheme + MASK
  // In an http or https URL the user or the path can be a token.
  const isWeb = /^https?:/i.test(scheme)
  const shownUser = user && (isWeb ? MASK : user.replace(/:.*/s, `:${MASK}`))
  const shownPath = isWeb && path.length > 1 ? `/${MASK}` : path
  const shownRest = rest && rest.charAt(0) + MASK
  return `${scheme}${shownUser ? `${shownUser}@` : ''}${host}${shownPath}${shownRest}`
}
