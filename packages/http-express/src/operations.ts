import { z } from 'zod'
import type { ZodOpenApiResponseObject } from 'zod-openapi'
import { GONE, SUNSET_DATE } from './deprecation.ts'
import { describedAs, INT64_NUMBER } from './describe-schema.ts'
import { idempotencyKeyHeader } from './idempotency-key.ts'
import { listPetsParameters } from './list-pets-query.ts'
import { newPetSchema } from './new-pet-body.ts'
import type { Operation } from './operation.ts'
import { NEW_PET_EXAMPLE, PET_EXAMPLE, petSchema, petsSchema } from './pet-schema.ts'
import { preferHeader } from './preference.ts'
import { otherRefusals, refusal, refusalsOfKey } from './refusals.ts'
import {
  ACCEPT_ENCODING,
  DEPRECATION,
  type Headers,
  LOCATION,
  NEXT_PAGE,
  PREFERENCE,
  RATE_LIMIT,
  REQUEST_ID,
} from './response-headers.ts'

/** The operations of the interface document (section 4), named as there. */
export interface Operations {
  readonly listPets: Operation<'/pets'>
  readonly createPet: Operation<'/pets'>
  readonly getPet: Operation<'/pets/{petId}'>
}

/** Read by `readInt64`; what that does not read is the id of nothing, so its answer is 404. */
const petId = describedAs(z.string(), INT64_NUMBER, {
  description: 'The `id` of the pet. What is no int64 in its shortest decimal form is the `id` of none: 404.',
  example: 1,
})

/** On every answer to a request that was read. */
const READ = { ...RATE_LIMIT, ...PREFERENCE }

const STRICT = 'A parameter is not known, under `Prefer: handling=strict`.'

export const OPERATIONS: Operations = {
  listPets: {
    method: 'get',
    path: '/pets',
    'x-stability': 'stable',
    summary: 'List pets',
    description: 'Pets by ascending `id`, a page at a time: follow the `Link` with `rel="next"` until there is none.',
    requestParams: { query: listPetsParameters, header: z.object({ Prefer: preferHeader }) },
    responses: {
      200: success('One page of pets.', petsSchema, [PET_EXAMPLE], NEXT_PAGE),
      400: refusal(
        'invalid_request',
        'A parameter breaks its rule.',
        'limit must be an integer from 1 to 100, got "0"',
        READ,
      ),
      ...refusalsOfKey('pets:read'),
      default: otherRefusals(),
    },
  },

  createPet: {
    method: 'post',
    path: '/pets',
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
      201: success('The pet was added.', petSchema, PET_EXAMPLE, LOCATION),
      400: refusal('invalid_request', 'A field is missing or breaks its rule.', 'name is required', READ),
      ...refusalsOfKey('pets:write'),
      413: refusal(
        'payload_too_large',
        'The body is too large.',
        'The body must have at most 102400 bytes, after decompression.',
        READ,
      ),
      415: refusal(
        'unsupported_media_type',
        'The body is not `application/json` in UTF-8, or is encoded by other means than gzip, deflate and br.',
        'The body must be sent as Content-Type: application/json, in UTF-8.',
        { ...READ, ...ACCEPT_ENCODING },
      ),
      422: refusal(
        'idempotency_key_reused',
        'The `Idempotency-Key` was used for another pet in the last 24 hours.',
        'This key was used to create another pet.',
        READ,
      ),
      default: otherRefusals(),
    },
  },

  getPet: {
    method: 'get',
    path: '/pets/{petId}',
    'x-stability': 'stable',
    deprecated: true,
    'x-deprecated-sunset': SUNSET_DATE,
    summary: 'Get a pet',
    description: 'Will be removed on 5 December 2030. Use `GET /pets` with a `status` filter instead.',
    requestParams: { path: z.object({ petId }), header: z.object({ Prefer: preferHeader }) },
    responses: {
      200: success('The pet.', petSchema, PET_EXAMPLE, DEPRECATION),
      400: refusal('invalid_request', STRICT, 'unknown with handling=strict: "x"', { ...READ, ...DEPRECATION }),
      ...refusalsOfKey('pets:read', DEPRECATION),
      404: refusal('not_found', 'No pet has this `id`.', 'There is no pet 1.', { ...READ, ...DEPRECATION }),
      410: refusal('gone', 'The operation was removed.', GONE, { ...RATE_LIMIT, ...DEPRECATION }),
      default: otherRefusals(DEPRECATION),
    },
  },
}

/** A good answer, with an example that the service gives to the example of the request. */
function success(description: string, schema: z.ZodType, example: unknown, headers: Headers): ZodOpenApiResponseObject {
  return {
    description,
    headers: { ...REQUEST_ID, ...READ, ...headers },
    content: { 'application/json': { schema, example } },
  }
}
