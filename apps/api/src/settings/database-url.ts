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
 * A URL that may be shown or logged. Only what is known to be harmless remains, unchanged: the path of an SQLite file;
 * the user, host, database and a few parameters of a PostgreSQL URL; the scheme and host of any other URL.
 */
export function maskUrl(text: string): string {
  if (text.startsWith('sqlite:')) return text
  const parts = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([\w.:,[\]-]*)(\/[^?#]*)?(\?[^#]*)?(#.*)?$/i.exec(text)
  const [, scheme = '', userInfo, host = '', path = '', query = '', fragment = ''] = parts ?? []
  if (parts === null) return /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0].concat(MASK) ?? MASK
  // An @ behind the host: a password with a slash in it looks like this.
  if ([path, query, fragment].some((part) => part.includes('@'))) return scheme + MASK
  const isPostgres = isPostgresUrl(text)
  const user = userInfo === undefined ? '' : `${isPostgres ? maskPassword(userInfo) : MASK}@`
  const shownPath = isPostgres || path === '/' || path === '' ? path : `/${MASK}`
  const shownQuery = isPostgres ? query.replaceAll(/[^?&]+/g, maskParameter) : query && `?${MASK}`
  return `${scheme}${user}${host}${shownPath}${shownQuery}${fragment && `#${MASK}`}`
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
