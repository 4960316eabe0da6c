import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import * as z from 'zod'
import { InexactNumber } from './exact-json.ts'
import { HttpError } from './http-error.ts'
import { addHeader } from './response.ts'

/**
 * The header for the description. Any text is valid: unknown preferences are ignored (RFC 7240).
 */
export const preferHeader: z.ZodType = z
  .string()
  // The limit of all headers together.
  .max(16_384)
  .optional()
  .meta({
    param: {
      description:
        '`handling=strict`: unknown parameters and fields are rejected with 400 instead of ignored.',
    },
  })

/**
 * Whether the client asked for strict handling (`Prefer: handling=strict`, RFC 7240), under which
 * unknown parameters and fields are rejected instead of ignored. Adds `Preference-Applied` to the
 * response.
 */
export function applyPreference(req: IncomingMessage, res: ServerResponse): boolean {
  const prefer = req.headers['prefer']
  if (prefer === undefined || !prefersStrict(String(prefer))) return false
  addHeader(res, 'Preference-Applied', 'handling=strict')
  return true
}

/**
 * The first `handling` counts (RFC 7240, section 2). Names are case-insensitive, the value may be
 * quoted.
 */
function prefersStrict(prefer: string): boolean {
  for (const preference of withoutQuotes(prefer).split(',')) {
    const [name = '', value = ''] = (preference.split(';')[0] ?? '').split('=')
    if (name.trim().toLowerCase() === 'handling') return value.trim().toLowerCase() === 'strict'
  }
  return false
}

/** Removes quotes, and replaces the separators inside them. An open quote ends with the text. */
function withoutQuotes(prefer: string): string {
  return prefer.replace(/"((?:[^"\\]|\\.|\\$)*)(?:"|$)/g, (_, quoted: string) =>
    quoted.replace(/[,;=]/g, '_'),
  )
}

/**
 * Visible ASCII but the quote. With `[` escaped, because the description publishes it and some
 * languages nest classes.
 */
const IN_QUOTES = String.raw`[!#-\[\]-~]`
/**
 * Visible ASCII, bare or quoted. A repeated header arrives joined by a comma and a space, and does
 * not match.
 */
const KEY = new RegExp(`^(?:([!#-~][!-~]{0,254})|"(${IN_QUOTES}{1,255})")$`)

/** The header for the description. */
export const idempotencyKeyHeader: z.ZodType = z
  .string()
  .min(1)
  // With the quotes.
  .max(257)
  .regex(KEY)
  .optional()
  .meta({
    param: {
      description:
        'Makes the request safe to repeat: for 24 hours the same key with the same pet gives the same response and makes no second pet. 1 to 255 visible ASCII characters, which may be quoted.',
    },
  })

/** The `Idempotency-Key` of a request without its quotes; `undefined` if there is none. */
export function readIdempotencyKey(req: IncomingMessage): string | undefined {
  const sent = req.headers['idempotency-key']
  if (sent === undefined) return undefined
  const [, bare, quoted] = KEY.exec(String(sent)) ?? []
  const key = bare ?? quoted
  if (key !== undefined) return key
  throw new HttpError(
    'invalid_request',
    'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once',
  )
}

/** The query parameters of a request's URL; one that is repeated is a list. Takes linear time. */
export function queryParameters(
  url: string,
): Readonly<Record<string, string | string[] | undefined>> {
  const start = url.indexOf('?')
  // The request line limits the number of names. A limit here would hide the last ones.
  return parse(start === -1 ? '' : url.slice(start + 1), '&', '=', { maxKeys: 0 })
}

/** The `error` of a parameter's schema: the rule, or that the parameter is repeated. */
export function parameterRule(words: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (Array.isArray(input) ? 'must not be repeated' : words)
}

const noParameters = z.strictObject({})

/**
 * For operations without query parameters: under strict handling any is rejected, else all are
 * ignored.
 */
export function assertNoParameters(url: string, isStrict: boolean): void {
  if (isStrict) parseOrReject(noParameters, queryParameters(url))
}

/**
 * Parses input with a schema. Throws one 400 that names every invalid field, its rule, and its
 * value if that is short.
 */
export function parseOrReject<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return result.data
  throw new HttpError('invalid_request', result.error.issues.map(sentence).join('; '))
}

/** The `error` of a schema: the rule, in words that follow the name of a field. */
export function rule(words: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (input === undefined ? 'is required' : words)
}

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return `unknown with handling=strict: ${shownNames(issue.keys)}`
  }
  const field = issue.path.length === 0 ? 'the body' : issue.path.join('.')
  const value = issue.input === undefined ? undefined : shown(issue.input)
  return value === undefined
    ? `${field} ${issue.message}`
    : `${field} ${issue.message}, got ${value}`
}

const MAX_NAMES = 5

/** A value if it is short and safe to repeat. */
function shown(value: unknown): string | undefined {
  if (value instanceof InexactNumber) return shortEnough(value.source)
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return shortEnough(JSON.stringify(value))
}

/** The first few names; a body can have thousands. */
function shownNames(names: readonly string[]): string {
  const first = names
    .slice(0, MAX_NAMES)
    .map((name) => shown(name) ?? 'a name that is not repeated here')
  return [
    ...first,
    ...(names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : []),
  ].join(', ')
}

function shortEnough(text: string): string | undefined {
  return text.length <= 60 && /^[\x20-\x7e]*$/.test(text) ? text : undefined
}
