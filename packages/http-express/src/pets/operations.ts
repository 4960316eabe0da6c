import * as z from 'zod'
import type { ZodOpenApiResponseObject } from 'zod-openapi'
import { idempotencyKeyHeader, preferHeader } from '../http/request-input.ts'
import type { Operation } from '../openapi/describe-operations.ts'
import { describedAs, INT64_NUMBER } from '../openapi/describe-schema.ts'
import { defaultErrorResponse, errorResponse, keyErrorResponses } from '../openapi/error-responses.ts'
import {
  ACCEPT_ENCODING,
  DEPRECATION,
  type Headers,
  LOCATION,
  NEXT_PAGE,
  PREFERENCE,
  RATE_LIMIT,
  REPLAYED,
  REQUEST_ID,
} from '../openapi/response-headers.ts'
import { GONE, SUNSET_DATE } from './deprecation.ts'
import { listPetsParameters } from './list-pets-query.ts'
import { newPetSchema } from './new-pet-body.ts'
import { NEW_PET_EXAMPLE, PET_EXAMPLE, petSchema, petsSchema } from './pet-schema.ts'

/** The operations of the interface document (section 4), named as there. */
export type Operations = {
  readonly listPets: Operation<'/pets'>
  readonly createPet: Operation<'/pets'>
  readonly getPet: Operation<'/pets/{petId}'>
}

/** Parsed by `readInt64`; any other text is the id of no pet, so it is a 404 and not a 400. */
const petId = describedAs(z.string(), INT64_NUMBER, {
  description: 'The `id` of the pet. Anything but an int64 in its shortest decimal form is 404.',
  example: 1,
})

/** On every response after the key check. */
const ADMITTED = { ...RATE_LIMIT, ...PREFERENCE }

const STRICT = 'A parameter is unknown, under `Prefer: handling=strict`.'

export const OPERATIONS: Operations = {
  listPets: {
    method: 'get',
    path: '/pets',
    scope: 'pets:read',
    'x-stability': 'stable',
    summary: 'List pets',
    description: 'Pets by ascending `id`, a page at a time: follow the `Link` with `rel="next"` until there is none.',
    requestParams: { query: listPetsParameters, header: z.object({ Prefer: preferHeader }) },
    responses: {
      200: success('One page of pets.', petsSchema, [PET_EXAMPLE], NEXT_PAGE),
      400: errorResponse(
        'invalid_request',
        'A parameter is invalid.',
        'limit must be an integer from 1 to 100, got "0"',
        ADMITTED,
      ),
      ...keyErrorResponses('pets:read'),
      default: defaultErrorResponse(),
    },
  },

  createPet: {
    method: 'post',
    path: '/pets',
    scope: 'pets:write',
    'x-stability': 'stable',
    summary: 'Add a pet',
    description: 'Two equal requests make two pets, unless they carry the same `Idempotency-Key`.',
    requestParams: { header: z.object({ 'Idempotency-Key': idempotencyKeyHeader, Prefer: preferHeader }) },
    requestBody: {
      required: true,
      description: 'At most 102,400 bytes of UTF-8, after decompression. Of duplicate names the last one counts.',
      content: { 'application/json': { schema: newPetSchema, example: NEW_PET_EXAMPLE } },
    },
    responses: {
      201: success('The pet was added.', petSchema, PET_EXAMPLE, { ...LOCATION, ...REPLAYED }),
      400: errorResponse('invalid_request', 'A field is missing or invalid.', 'name is required', ADMITTED),
      ...keyErrorResponses('pets:write'),
      413: errorResponse(
        'payload_too_large',
        'The body is too large.',
        'The body must have at most 102400 bytes, after decompression.',
        ADMITTED,
      ),
      415: errorResponse(
        'unsupported_media_type',
        'The body is not `application/json` in UTF-8, or has another encoding than gzip, deflate and br.',
        'The body must be sent as Content-Type: application/json, in UTF-8.',
        { ...ADMITTED, ...ACCEPT_ENCODING },
      ),
      422: errorResponse(
        'idempotency_key_reused',
        'The `Idempotency-Key` was used for another pet in the last 24 hours.',
        'This key was used to create another pet.',
        ADMITTED,
      ),
      default: defaultErrorResponse(),
    },
  },

  getPet: {
    method: 'get',
    path: '/pets/{petId}',
    scope: 'pets:read',
    'x-stability': 'stable',
    deprecated: true,
    'x-deprecated-sunset': SUNSET_DATE,
    summary: 'Get a pet',
    description: 'Will be removed on 5 December 2030. Use `GET /pets` with a `status` filter instead.',
    requestParams: { path: z.object({ petId }), header: z.object({ Prefer: preferHeader }) },
    responses: {
      200: success('The pet.', petSchema, PET_EXAMPLE, DEPRECATION),
      400: errorResponse('invalid_request', STRICT, 'unknown with handling=strict: "x"', {
        ...ADMITTED,
        ...DEPRECATION,
      }),
      ...keyErrorResponses('pets:read', DEPRECATION),
      404: errorResponse('not_found', 'No pet has this `id`.', 'There is no pet 1.', { ...ADMITTED, ...DEPRECATION }),
      410: errorResponse('gone', 'The operation was removed.', GONE, { ...RATE_LIMIT, ...DEPRECATION }),
      default: defaultErrorResponse(DEPRECATION),
    },
  },
}

/** Describes a successful response. Its example is the response to the example of the request. */
function success(description: string, schema: z.ZodType, example: unknown, headers: Headers): ZodOpenApiResponseObject {
  return {
    description,
    headers: { ...REQUEST_ID, ...ADMITTED, ...headers },
    content: { 'application/json': { schema, example } },
  }
}
