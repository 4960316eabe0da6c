import * as z from 'zod'
import type { oas31, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { ERROR_STATUS, type ErrorBody, type ErrorCode, INTERNAL_ERROR } from '../http/http-error.ts'

type Headers = Readonly<Record<string, oas31.HeaderObject>>

const REQUEST_ID = header(
  'X-Request-Id',
  'Names the request in the log: the `X-Request-Id` of the request where it is safe to repeat, else a new one.',
  { maxLength: 128 },
)

/** Where the requests of a key are limited. */
const RATE_LIMIT = optional({
  ...header('RateLimit-Policy', 'How many requests the key may make, where that is limited.'),
  ...header('RateLimit', 'How many of them are left, and for how many seconds.'),
})

const PREFERENCE = optional(
  header('Preference-Applied', '`handling=strict` where the request asked for it (RFC 7240).', {
    enum: ['handling=strict'],
  }),
)

const CHALLENGE = header('WWW-Authenticate', 'A `Bearer` challenge (RFC 6750).')

const RETRY_AFTER = header('Retry-After', 'How many seconds to wait.', {
  type: 'integer',
  format: 'int32',
  minimum: 1,
  maximum: 2_147_483_647,
})

export const ACCEPT_ENCODING: Headers = optional(
  header(
    'Accept-Encoding',
    'The encodings that are possible, where the `Content-Encoding` was not one of them.',
  ),
)

export const NEXT_PAGE: Headers = optional(
  header('Link', '`rel="next"` leads to the next page (RFC 8288). Absent on the last page.', {
    maxLength: 8_192,
  }),
)

const LOCATION_RULE =
  'The address of the new pet: relative to the request, or absolute. Absent once `getPet` is removed.'
export const LOCATION: Headers = optional(header('Location', LOCATION_RULE, { maxLength: 8_192 }))

export const REPLAYED: Headers = optional(
  header(
    'Idempotency-Replayed',
    '`true` if an earlier request with the same `Idempotency-Key` added the pet.',
    {
      enum: ['true'],
    },
  ),
)

export const DEPRECATION: Headers = {
  ...header('Deprecation', 'Since when the operation is deprecated (RFC 9745).'),
  ...header('Sunset', 'When it ends (RFC 8594).'),
  ...header('Link', '`rel="deprecation"` leads to the reference page.', { maxLength: 8_192 }),
}

/** The same headers on responses that can lack them. */
function optional(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [name, { ...header, required: false }]),
  )
}

/** A header that every response has. Its text is printable ASCII, unless the rule says more. */
function header(name: string, description: string, rule: oas31.SchemaObject = {}): Headers {
  const isOther = rule.enum !== undefined || rule.type === 'integer'
  const schema = {
    type: 'string',
    ...(!isOther && { pattern: '^[ -~]+$', maxLength: 256 }),
    ...rule,
  } as const
  return { [name]: { description, required: true, schema } }
}

const errorSchema = z
  .object({
    code: z
      .string()
      .max(64)
      .regex(/^[a-z_]+$/)
      .meta({
        description:
          'The reason, for programs. The examples are all current codes; the list may grow.',
        examples: Object.keys(ERROR_STATUS),
      }),
    message: z
      .string()
      .max(1_024)
      .meta({ description: 'The reason, for people. The wording may change.' }),
    status: z
      .int()
      .min(400)
      .max(599)
      .meta({ format: 'int32', description: 'The HTTP status code of the response.' }),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' })

/**
 * When each code is sent, for the description and the reference page. A code that is missing here
 * does not compile.
 */
export const MEANING: Readonly<Record<ErrorCode, string>> = {
  invalid_request:
    'A field, a parameter or the request itself violates a rule that `message` names.',
  unauthorized: 'The key is missing or not valid.',
  forbidden: 'The key lacks the scope of the operation: `pets:read` or `pets:write`.',
  not_found: 'There is no such pet, or nothing at this path.',
  method_not_allowed: '`Allow` lists the methods of this path.',
  request_timeout: 'The request did not arrive in time.',
  gone: 'The operation was removed.',
  payload_too_large: 'The body has more than 102,400 bytes, after decompression.',
  unsupported_media_type:
    'The body is not `application/json` in UTF-8, or has another encoding than gzip, deflate and br.',
  expectation_failed: 'An `Expect` other than `100-continue`.',
  idempotency_key_reused: 'The `Idempotency-Key` was used for another pet in the last 24 hours.',
  rate_limited:
    'The key was used too often, or too many keys were tried. Wait for as many seconds as `Retry-After` says.',
  headers_too_large: 'Request line and headers have more than 16 KiB.',
  internal_error: 'An error of the service. Report the `X-Request-Id` of the response.',
  not_implemented: 'An unknown method, or a `Transfer-Encoding` other than `chunked`.',
  service_unavailable:
    'The database is unavailable, or the service is overloaded or stopping. Try again after `Retry-After`.',
}

/** Describes a successful response. Its example is the response to the example of the request. */
export function success(
  description: string,
  headers: Headers,
  body?: { readonly schema: z.ZodType; readonly example: unknown },
): ZodOpenApiResponseObject {
  return {
    description,
    headers: { ...REQUEST_ID, ...RATE_LIMIT, ...PREFERENCE, ...headers },
    ...(body && { content: { 'application/json': body } }),
  }
}

/**
 * Describes an error response to a request that passed the key check, with an example of its
 * message.
 */
export function rejection(
  code: ErrorCode,
  message: string,
  headers: Headers = {},
): ZodOpenApiResponseObject {
  return errorResponse(code, message, { ...RATE_LIMIT, ...PREFERENCE, ...headers })
}

function errorResponse(
  code: ErrorCode,
  message: string,
  headers: Headers,
): ZodOpenApiResponseObject {
  const example: ErrorBody = { code, message, status: ERROR_STATUS[code] }
  return {
    description: `${MEANING[code]} Its code is \`${code}\`.`,
    headers: { ...REQUEST_ID, ...headers },
    content: { 'application/json': { schema: errorSchema, example } },
  }
}

/**
 * What every operation responds to a key that may not call it, or not now, and what any request can
 * get.
 */
export function commonErrorResponses(
  scope: string,
  routeHeaders: Headers,
): ZodOpenApiResponsesObject {
  const lacks = `The API key may not do this: it lacks the scope ${scope}.`
  const tooMany = 'This API key may make 600 requests in 60 s. Try again in 5 s.'
  // Absent where too many keys were tried: that is before the key check ends.
  const maybeRouteHeaders = optional(routeHeaders)
  return {
    401: errorResponse('unauthorized', 'The API key is not valid.', CHALLENGE),
    403: errorResponse('forbidden', lacks, { ...CHALLENGE, ...RATE_LIMIT, ...routeHeaders }),
    429: errorResponse('rate_limited', tooMany, {
      ...RETRY_AFTER,
      ...RATE_LIMIT,
      ...maybeRouteHeaders,
    }),
    default: {
      ...errorResponse('internal_error', INTERNAL_ERROR, {
        ...optional(RETRY_AFTER),
        ...RATE_LIMIT,
        ...PREFERENCE,
        ...maybeRouteHeaders,
      }),
      description: `Any other error: ${ANYWHERE.map((code) => `${ERROR_STATUS[code]} \`${code}\``).join(', ')}.`,
    },
  }
}

/** The error responses of every operation that `default` stands for. */
const ANYWHERE = [
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'not_implemented',
  'service_unavailable',
] as const satisfies readonly ErrorCode[]

export const DEFAULT_STATUSES: readonly number[] = ANYWHERE.map((code) => ERROR_STATUS[code])
