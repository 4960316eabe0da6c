export const DATABASE_URL_RULE = 'must be sqlite: and the path of a file, or postgres://user:password@host/database'

/** Which of the built-in adapters a URL belongs to; `undefined` if none. */
export function databaseKind(url: string): 'sqlite' | 'postgres' | undefined {
  if (/^sqlite:.+/.test(url)) return 'sqlite'
  return /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url) ? 'postgres' : undefined
}

const MASK = '***'
/** Parameters of PostgreSQL URLs whose values hold no secret. */
const HARMLESS_PARAMETERS = ['sslmode', 'application_name', 'connect_timeout', 'port', 'dbname', 'host']

/**
 * A URL that may be shown or logged: only what is known to hold no secret remains. A third-party adapter may take text of
 * another form, which is shown if nothing in it can be a password or a parameter.
 */
export function maskUrl(text: string): string {
  if (text.startsWith('sqlite:')) return text
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? []
  if (scheme === undefined) return /[@?;=#]/.test(text) ? MASK : text
  const parts = /^(?:([^/?#]*)@)?([\w.:,[\]-]*)(\/[^?#]*)?(\?[^#]*)?(#.*)?$/.exec(text.slice(scheme.length))
  const [, userInfo, host = '', path = '', query = '', fragment = ''] = parts ?? []
  // An @ behind the host: a password with a slash in it looks like this. Some drivers take parameters after a semicolon.
  if (parts === null || /[@;]/.test(path + query + fragment)) return scheme + MASK
  const isWeb = /^https?:/i.test(scheme)
  const user = userInfo === undefined ? '' : `${isWeb ? MASK : maskPassword(userInfo)}@`
  const shownPath = isWeb && path.length > 1 ? `/${MASK}` : path
  const shownQuery = isWeb ? query && `?${MASK}` : query.replaceAll(/[^?&]+/g, maskParameter)
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
