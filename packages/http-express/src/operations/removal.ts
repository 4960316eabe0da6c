/** The date of the first release, since which getPet is deprecated (RFC 9745). */
const DEPRECATED_SINCE = Date.UTC(2026, 10, 21) / 1000

/** The last second in which getPet is served (interface document, section 9; RFC 8594). */
const SUNSET = 'Thu, 05 Dec 2030 23:59:59 GMT'

/** The last day of getPet, as the description has it. */
export const SUNSET_DATE: string = new Date(SUNSET).toISOString().slice(0, 10)

/** When getPet is no longer served. No setting moves it. */
export const REMOVED_FROM: number = Date.UTC(2030, 11, 6)

export const GONE =
  'GET /pets/{petId} was removed on 5 December 2030. Use GET /pets with a status filter instead.'

/**
 * The headers of every response of a deprecated route as a flat list: a name, its value, the next
 * name. `docs` is the reference page.
 */
export function deprecationHeaders(docs: string): readonly string[] {
  const link = `<${docs}>; rel="deprecation"; type="text/html"`
  return ['Deprecation', `@${DEPRECATED_SINCE}`, 'Sunset', SUNSET, 'Link', link]
}
