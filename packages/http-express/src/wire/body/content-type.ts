import { parse } from 'content-type'
import { HttpError } from '../../response/http-error.ts'

/** Parameters whose quotes are closed. The parser takes others for the end of the text. */
const CLOSED_QUOTES = /^(?:[^"]|"(?:[^"\\]|\\.)*")*$/

/**
 * An open quote ends with the text: to look for its end from each quote in it would take quadratic
 * time.
 */
const QUOTED = /"(?:[^"\\]|\\.|\\$)*(?:"|$)/g

/** Asserts `application/json` in any case, with no charset or UTF-8: else 415. */
export function assertJson(sent = ''): void {
  if (sent === 'application/json') return
  const { type, parameters } = parse(sent)
  // The parser takes one of them, a proxy may take the other.
  if ((sent.replace(QUOTED, '""').match(/;[ \t]*charset=/gi) ?? []).length > 1) {
    throw new HttpError('invalid_request', 'Content-Type must have at most one charset.')
  }
  const { charset = 'utf-8' } = parameters
  if (type !== 'application/json' || !/^utf-?8$/i.test(charset) || !CLOSED_QUOTES.test(sent)) {
    throw new HttpError(
      'unsupported_media_type',
      'The body must be sent as Content-Type: application/json, in UTF-8.',
    )
  }
}
