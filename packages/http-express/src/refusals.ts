import { z } from 'zod'
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from './error-answer.ts'
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
      description: 'The reason, for programs. The examples are all codes there are; the list may grow.',
      examples: Object.keys(ERROR_STATUS),
    }),
    message: z.string().meta({ description: 'The reason, for people. Its words may change.' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status code of the answer.' }),
  })
  .meta({ id: 'Error', description: 'The body of every error answer.' })

/** An error answer: when it is given, and what its message can be. */
export function refusal(code: ErrorCode, when: string, message: string, headers: Headers): ZodOpenApiResponseObject {
  const example: ErrorBody = { code, message, status: ERROR_STATUS[code] }
  return {
    description: `${when} Its code is \`${code}\`.`,
    headers: { ...REQUEST_ID, ...headers },
    content: { 'application/json': { schema: errorSchema, example } },
  }
}

/** What any operation answers to a key that may not call it, or not now. */
export function refusalsOfKey(scope: string, marks: Headers = {}): ZodOpenApiResponsesObject {
  const lacks = `The API key may not do this: it lacks the scope ${scope}.`
  return {
    401: refusal('unauthorized', 'The API key is missing or not valid.', 'The API key is not valid.', CHALLENGE),
    403: refusal('forbidden', `The API key lacks the scope \`${scope}\`.`, lacks, {
      ...CHALLENGE,
      ...RATE_LIMIT,
      ...marks,
    }),
    429: refusal('rate_limited', 'The API key was used too often, or too many keys were tried.', 'Try again in 5 s.', {
      ...RETRY_AFTER,
      ...RATE_LIMIT,
      // Not where too many keys were tried: that is said before the path is looked at.
      ...optional(marks),
    }),
  }
}

/** What any request can meet, whatever it asks for. */
const ANYWHERE = [
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
] as const satisfies readonly ErrorCode[]

/** The statuses that `default` stands for. */
export const DEFAULT_STATUSES: readonly number[] = ANYWHERE.map((code) => ERROR_STATUS[code])

/** The answer `default` of every operation. */
export function otherRefusals(marks: Headers = {}): ZodOpenApiResponseObject {
  const headers = optional({ ...RETRY_AFTER, ...RATE_LIMIT, ...PREFERENCE, ...marks })
  return {
    ...refusal('internal_error', '', 'Something went wrong on our side.', headers),
    description: `Any other error: ${ANYWHERE.map((code) => `${ERROR_STATUS[code]} \`${code}\``).join(', ')}.`,
  }
}
