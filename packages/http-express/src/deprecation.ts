import { HttpError } from './error-answer.ts'

/** Tells the time. Passed in, so that tests can live in 2030. */
export type Clock = () => Date

/** The date of the first release, since which getPet is deprecated (RFC 9745). */
const DEPRECATED_SINCE = Date.UTC(2026, 10, 21) / 1000

/** The last second in which getPet is served (interface document, section 9; RFC 8594). */
const SUNSET = 'Thu, 05 Dec 2030 23:59:59 GMT'

/** The day of it, for the description. */
export const SUNSET_DATE: string = new Date(SUNSET).toISOString().slice(0, 10)

const RETIRED_FROM = Date.UTC(2030, 11, 6)

/** Whether getPet is no longer served. No setting moves the date. */
export function isGetPetRetired(now: Clock): boolean {
  return now().getTime() >= RETIRED_FROM
}

/** What the answers of a deprecated route say of that, and where more is said: names and values in turn. */
export function deprecationHeaders(docs: string): readonly string[] {
  const link = `<${docs}>; rel="deprecation"; type="text/html"`
  return ['Deprecation', `@${DEPRECATED_SINCE}`, 'Sunset', SUNSET, 'Link', link]
}

/** What the answer 410 says. */
export const GONE = 'GET /pets/{petId} was removed on 5 December 2030. Use GET /pets with a status filter instead.'

/** Refuses to serve getPet once it is retired. */
export function expectNotRetired(now: Clock): void {
  if (isGetPetRetired(now)) {
    throw new HttpError('gone', GONE)
  }
}
