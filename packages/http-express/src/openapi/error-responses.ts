import * as z from 'zod'
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { ERROR_STATUS, type ErrorBody, type ErrorCode, INTERNAL_ERROR } from '../http/http-error.ts'
import {
  CHALLENGE,
  type Headers,
  optional,
  PREFERENCE,
  RATE_LIMIT,
  REQUEST_ID,
  RETRY_AFTER,
} from './response-headers.ts'

const errorSchema = z
  .object({
    code: z.string().meta({
      description: 'The reason, for programs. The examples are all current codes; the list may grow.',
      examples: Object.keys(ERROR_STATUS),
    }),
    message: z.string().meta({ description: 'The reason, for people. The wording may change.' }),
    status: z.int().min(400).max(599).meta({ format: 'int32', description: 'The HTTP status code of the response.' }),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' })

/** Describes an error response: when it is sent, and an example of its message. */
export function errorResponse(
  code: ErrorCode,
  when: string,
  message: string,
  headers: Headers,
): ZodOpenApiResponseObject {
  const example: ErrorBody = { code, message, status: ERROR_STATUS[code] }
  return {
    description: `${when} Its code is \`${code}\`.`,
    headers: { ...REQUEST_ID, ...headers },
    content: { 'application/json': { schema: errorSchema, example } },
  }
}

/** What every operation responds to a key that may not call it, or not now, and what any request can get. */
export function commonErrorResponses(scope: string, routeHeaders: Headers): ZodOpenApiResponsesObject {
  const lacks = `The API key may not do this: it lacks the scope ${scope}.`
  return {
    401: errorResponse('unauthorized', 'The API key is missing or not valid.', 'The API key is not valid.', CHALLENGE),
    403: errorResponse('forbidden', `The API key lacks the scope \`${scope}\`.`, lacks, {
      ...CHALLENGE,
      ...RATE_LIMIT,
      ...routeHeaders,
    }),
    429: errorResponse(
      'rate_limited',
      'The API key was used too often, or too many keys were tried.',
      'Try again in 5 s.',
      {
        ...RETRY_AFTER,
        ...RATE_LIMIT,
        // Absent where too many keys were tried: that is before the key check ends.
        ...optional(routeHeaders),
      },
    ),
    default: {
      ...errorResponse(
        'internal_error',
        '',
        INTERNAL_ERROR,
        optional({ ...RETRY_AFTER, ...RATE_LIMIT, ...PREFERENCE, ...routeHeaders }),
      ),
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

/** Their statuses. */
export const DEFAULT_STATUSES: readonly number[] = ANYWHERE.map((code) => ERROR_STATUS[code])
