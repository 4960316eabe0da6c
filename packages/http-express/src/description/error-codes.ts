import * as z from 'zod'
import { ERROR_STATUS, type ErrorCode } from '../response/http-error.ts'

/** The body of every error response (interface document, section 2). */
export const errorSchema: z.ZodObject = z
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
    'The body is not `application/json` in UTF-8, ' +
    'or has another encoding than gzip, deflate and br.',
  expectation_failed: 'An `Expect` other than `100-continue`.',
  idempotency_key_reused: 'The `Idempotency-Key` was used for another pet in the last 24 hours.',
  rate_limited:
    'The key was used too often, or too many keys were tried. ' +
    'Wait for as many seconds as `Retry-After` says.',
  headers_too_large: 'The request line and headers have more than 16 KiB, or 100 fields.',
  internal_error: 'An error of the service. Report the `X-Request-Id` of the response.',
  not_implemented: 'An unknown method, or a `Transfer-Encoding` other than `chunked`.',
  service_unavailable:
    'The database is unavailable, or the service is overloaded or stopping. ' +
    'Try again after `Retry-After`.',
}
