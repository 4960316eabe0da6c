import type * as z from 'zod'
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import {
  ERROR_STATUS,
  type ErrorBody,
  type ErrorCode,
  INTERNAL_ERROR,
} from '../response/http-error.ts'
import type { Declaration } from './declaration.ts'
import { errorSchema, MEANING } from './error-codes.ts'
import {
  CHALLENGE_HEADER,
  DEPRECATION_HEADERS,
  type Headers,
  optional,
  PREFERENCE_HEADER,
  RATE_LIMIT_HEADERS,
  REQUEST_ID_HEADER,
  RETRY_AFTER_HEADER,
} from './headers.ts'

/** Describes a successful response. Its example is the response to the example of the request. */
export function success(
  description: string,
  headers: Headers,
  body?: { readonly schema: z.ZodType; readonly example: unknown },
): ZodOpenApiResponseObject {
  return {
    description,
    headers: { ...REQUEST_ID_HEADER, ...RATE_LIMIT_HEADERS, ...PREFERENCE_HEADER, ...headers },
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
  return errorResponse(code, message, { ...RATE_LIMIT_HEADERS, ...PREFERENCE_HEADER, ...headers })
}

function errorResponse(
  code: ErrorCode,
  message: string,
  headers: Headers,
): ZodOpenApiResponseObject {
  const example: ErrorBody = { code, message, status: ERROR_STATUS[code] }
  return {
    description: `${MEANING[code]} Its code is \`${code}\`.`,
    headers: { ...REQUEST_ID_HEADER, ...headers },
    content: { 'application/json': { schema: errorSchema, example } },
  }
}

/** Every response of an operation: its own, and the responses of every operation. */
export function allResponses({ scope, sunset, published }: Declaration): ZodOpenApiResponsesObject {
  const routeHeaders = sunset === undefined ? {} : DEPRECATION_HEADERS
  const own = Object.entries(published.responses).map(([status, response]) => [
    status,
    { ...response, headers: { ...response.headers, ...routeHeaders } },
  ])
  return { ...Object.fromEntries(own), ...commonResponses(scope, routeHeaders) }
}

/**
 * The responses that every operation can send: 401, 403 and 429 for its key, and errors that any
 * request can get.
 */
function commonResponses(scope: string, routeHeaders: Headers): ZodOpenApiResponsesObject {
  const lacks = `The API key may not do this: it lacks the scope ${scope}.`
  const tooMany = 'This API key may make 600 requests in 60 s. Try again in 5 s.'
  // A 429 for too many tried keys lacks these headers, because it is sent during the key check.
  const maybeRouteHeaders = optional(routeHeaders)
  return {
    401: errorResponse('unauthorized', 'The API key is not valid.', CHALLENGE_HEADER),
    403: errorResponse('forbidden', lacks, {
      ...CHALLENGE_HEADER,
      ...RATE_LIMIT_HEADERS,
      ...routeHeaders,
    }),
    429: errorResponse('rate_limited', tooMany, {
      ...RETRY_AFTER_HEADER,
      ...RATE_LIMIT_HEADERS,
      ...maybeRouteHeaders,
    }),
    default: {
      ...errorResponse('internal_error', INTERNAL_ERROR, {
        ...optional(RETRY_AFTER_HEADER),
        ...RATE_LIMIT_HEADERS,
        ...PREFERENCE_HEADER,
        ...maybeRouteHeaders,
      }),
      description: `Any other error: ${ANYWHERE.map(statusAndCode).join(', ')}.`,
    },
  }
}

/** The errors that `default` describes. */
const ANYWHERE = [
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'not_implemented',
  'service_unavailable',
] as const satisfies readonly ErrorCode[]

function statusAndCode(code: ErrorCode): string {
  return `${ERROR_STATUS[code]} \`${code}\``
}

export const DEFAULT_STATUSES: readonly number[] = ANYWHERE.map((code) => ERROR_STATUS[code])
