import type { oas31 } from 'zod-openapi'

/** Described headers by name. */
export type Headers = Readonly<Record<string, oas31.HeaderObject>>

/**
 * Describes a header that every response has. Its value is printable ASCII of at most 256
 * characters, unless `rule` says something else.
 */
export function header(name: string, description: string, rule: oas31.SchemaObject = {}): Headers {
  const isOther = rule.enum !== undefined || rule.type === 'integer'
  const schema = {
    type: 'string',
    ...(!isOther && { pattern: '^[ -~]+$', maxLength: 256 }),
    ...rule,
  } as const
  return { [name]: { description, required: true, schema } }
}

/** The same headers on responses that can lack them. */
export function optional(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [name, { ...header, required: false }]),
  )
}

export const REQUEST_ID_HEADER: Headers = header(
  'X-Request-Id',
  'Names the request in the log: the `X-Request-Id` of the request where it is safe to repeat, ' +
    'else a new one.',
  { maxLength: 128 },
)

/** The headers that tell the rate limit of a key, if it has one. */
export const RATE_LIMIT_HEADERS: Headers = optional({
  ...header('RateLimit-Policy', 'How many requests the key may make, where that is limited.'),
  ...header('RateLimit', 'How many of them are left, and for how many seconds.'),
})

export const PREFERENCE_HEADER: Headers = optional(
  header('Preference-Applied', '`handling=strict` where the request asked for it (RFC 7240).', {
    enum: ['handling=strict'],
  }),
)

export const CHALLENGE_HEADER: Headers = header(
  'WWW-Authenticate',
  'A `Bearer` challenge (RFC 6750).',
)

export const RETRY_AFTER_HEADER: Headers = header('Retry-After', 'How many seconds to wait.', {
  type: 'integer',
  format: 'int32',
  minimum: 1,
  maximum: 2_147_483_647,
})

export const DEPRECATION_HEADERS: Headers = {
  ...header('Deprecation', 'Since when the operation is deprecated (RFC 9745).'),
  ...header('Sunset', 'When it ends (RFC 8594).'),
  ...header('Link', '`rel="deprecation"` leads to the reference page.', { maxLength: 8_192 }),
}
