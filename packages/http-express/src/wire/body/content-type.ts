import { parse } from 'content-type'
import { HttpError } from '../../response/http-error.ts'

/** A text whose quotes are all closed. The parser would accept an open quote. */
const CLOSED_QUOTES = /^(?:[^"]|"(?:[^"\\]|\\.)*")*$/

/**
 * A quoted text. An open quote extends to the end of the header: without this, the search for a
 * closing quote would begin again at every further quote and take quadratic time.
 */
const QUOTED = /"(?:[^"\\]|\\.|\\$)*(?:"|$)/g

/**
 * Asserts `application/json`, in upper or lower case, without a charset or with UTF-8, else 415;
 * 400 if there are two charsets.
 */
export function assertJson(sent = ''): void {
  if (sent === 'application/json') return
  const { type, parameters } = parse(sent)
  // The parser reads one charset, a proxy may read the other.
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
