import type { RequestHandler } from 'express'
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

/** Marks every answer of the route as deprecated, and refers to the page that says more. */
export function markDeprecated(docs: string): RequestHandler {
  const link = `<${docs}>; rel="deprecation"; type="text/html"`
  return (_req, res, next) => {
    res.setHeader('Deprecation', `@${DEPRECATED_SINCE}`)
    res.setHeader('Sunset', SUNSET)
    res.setHeader('Link', link)
    next()
  }
}

/** What the answer 410 says. */
export const GONE = 'GET /pets/{petId} was removed on 5 December 2030. Use GET /pets with a status filter instead.'

/** Refuses to serve getPet once it is retired. */
export function expectNotRetired(now: Clock): void {
  if (isGetPetRetired(now)) {
    throw new HttpError('gone', GONE)
  }
}
