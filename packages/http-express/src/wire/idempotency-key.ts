import * as z from 'zod'
import { HttpError } from '../response/http-error.ts'

/**
 * Visible ASCII except the quote. `[` is escaped, because the description publishes the pattern and
 * some languages have nested character classes.
 */
const IN_QUOTES = String.raw`[!#-\[\]-~]`
/** Escaped, because generators put the pattern between quotes. */
const QUOTE = String.raw`\x22`
/**
 * Visible ASCII, bare or quoted. Node joins repeated headers by a comma and a space, which does not
 * match.
 */
const KEY = new RegExp(`^(?:([!#-~][!-~]{0,254})|${QUOTE}(${IN_QUOTES}{1,255})${QUOTE})$`)

/** The header for the description. */
export const idempotencyKeyHeader: z.ZodType = z
  .string()
  .min(1)
  // 255 characters and two quotes.
  .max(257)
  .regex(KEY)
  .optional()
  .meta({
    param: {
      description:
        'Makes the request safe to repeat: for 24 hours the same key with the same pet gives the ' +
        'same response and makes no second pet. ' +
        '1 to 255 visible ASCII characters, which may be quoted.',
      example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
    },
  })

/** The key of an `Idempotency-Key` header, without its quotes. Throws a 400 for any other text. */
export function readIdempotencyKey(sent: string | string[]): string {
  const [, bare, quoted] = KEY.exec(String(sent)) ?? []
  const key = bare ?? quoted
  if (key !== undefined) return key
  throw new HttpError(
    'invalid_request',
    'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once',
  )
}
