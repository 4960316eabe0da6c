export const DATABASE_URL_RULE = 'must be sqlite: and the path of a file, or postgres://user:password@host/database'

/** Which of the built-in adapters a URL belongs to; `undefined` if none. */
export function databaseKind(url: string): 'sqlite' | 'postgres' | undefined {
  if (/^sqlite:.+/.test(url)) return 'sqlite'
  return isPostgresUrl(url) ? 'postgres' : undefined
}

export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)
}

const MASK = '***'
/** Parameters of PostgreSQL URLs whose values hold no secret. */
const HARMLESS_PARAMETERS = ['sslmode', 'application_name', 'connect_timeout', 'port', 'dbname', 'host']

/**
 * A URL that may be shown or logged. Of PostgreSQL and HTTP URLs only what is known to be harmless remains. Any other URL
 * belongs to a third-party adapter: it is shown as it is, without passwords and parameters that are named like secrets.
 */
export function maskUrl(text: string): string {
  if (text.startsWith('sqlite:')) return text
  if (!isPostgresUrl(text) && !/^https?:/i.test(text)) return maskForeignUrl(text)
  const parts = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([\w.:,[\]-]*)(\/[^?#]*)?(\?[^#]*)?(#.*)?$/i.exec(text)
  const [, scheme = '', userInfo, host = '', path = '', query = '', fragment = ''] = parts ?? []
  if (parts === null) return maskAfterScheme(text)
  // An @ behind the host: a password with a slash in it looks like this.
  if ([path, query, fragment].some((part) => part.includes('@'))) return scheme + MASK
  const isPostgres = isPostgresUrl(text)
  const user = userInfo === undefined ? '' : `${isPostgres ? maskPassword(userInfo) : MASK}@`
  const shownPath = isPostgres || path === '/' || path === '' ? path : `/${MASK}`
  const shownQuery = isPostgres ? query.replaceAll(/[^?&]+/g, maskParameter) : query && `?${MASK}`
  return `${scheme}${user}${host}${shownPath}${shownQuery}${fragment && `#${MASK}`}`
}

const SECRET_PARAMETER = /([?&;\s]|^)([^?&;=\s]*(?:pass|pwd|secret|token|key|auth|cred|sig)[^?&;=\s]*\s*=)[^&;#]*/gi

function maskForeignUrl(text: string): string {
  const [, scheme = '', userInfo, rest = text] = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?(.*)$/is.exec(text) ?? []
  // An @ elsewhere: a password may stand before it.
  if (rest.includes('@')) return maskAfterScheme(text)
  const user = userInfo === undefined ? '' : `${maskPassword(userInfo)}@`
  return scheme + user + rest.replaceAll(SECRET_PARAMETER, `$1$2${MASK}`)
}

function maskAfterScheme(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0].concat(MASK) ?? MASK
}

function maskPassword(userInfo: string): string {
  const [user = ''] = userInfo.split(':', 1)
  return user.length < userInfo.length ? `${user}:${MASK}` : user
}

function maskParameter(parameter: string): string {
  const [, name] = /^([a-z_]+)=/.exec(parameter) ?? []
  if (name === undefined) return MASK
  return HARMLESS_PARAMETERS.includes(name) ? parameter : `${name}=${MASK}`
}
