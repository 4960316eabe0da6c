import * as z from 'zod'
import { allowedWith } from '../http/methods.ts'
import { idempotencyKeyHeader, preferHeader } from '../http/request-input.ts'
import type { Operation } from '../openapi/describe-operations.ts'
import { describedAs, INT64_NUMBER } from '../openapi/describe-schema.ts'
import {
  ACCEPT_ENCODING,
  commonErrorResponses,
  DEPRECATION,
  LOCATION,
  NEXT_PAGE,
  REPLAYED,
  rejection,
  success,
} from '../openapi/responses.ts'
import { listPetsParameters } from './list-pets-query.ts'
import { NEW_PET_EXAMPLE, newPetSchema, PET_EXAMPLE, petSchema, petsSchema } from './pet-schema.ts'

/** The operations of the interface document (section 4), as there. */
export type OperationName = 'listPets' | 'createPet' | 'getPet'

/** The date of the first release, since which getPet is deprecated (RFC 9745). */
const DEPRECATED_SINCE = Date.UTC(2026, 10, 21) / 1000

/** The last second in which getPet is served (interface document, section 9; RFC 8594). */
const SUNSET = 'Thu, 05 Dec 2030 23:59:59 GMT'

/** When getPet is no longer served. No setting moves it. */
export const RETIRED_FROM: number = Date.UTC(2030, 11, 6)

export const GONE =
  'GET /pets/{petId} was removed on 5 December 2030. Use GET /pets with a status filter instead.'

/**
 * The headers of every response of a deprecated route, names and values in turn. `docs` is the
 * reference page.
 */
export function deprecationHeaders(docs: string): readonly string[] {
  const link = `<${docs}>; rel="deprecation"; type="text/html"`
  return ['Deprecation', `@${DEPRECATED_SINCE}`, 'Sunset', SUNSET, 'Link', link]
}

/** Parsed by `readInt64`; any other text is the id of no pet, so it is a 404 and not a 400. */
const petId = describedAs(z.string(), INT64_NUMBER, {
  description: 'The `id` of the pet. Anything but an int64 in its shortest decimal form is 404.',
  example: 1,
})

export const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  listPets: operation({
    method: 'get',
    path: '/pets',
    scope: 'pets:read',
    'x-stability': 'stable',
    summary: 'List pets',
    description:
      'Pets by ascending `id`, a page at a time: follow the `Link` with `rel="next"` until there is none.',
    requestParams: { query: listPetsParameters, header: z.object({ Prefer: preferHeader }) },
    responses: {
      200: success('One page of pets.', NEXT_PAGE, { schema: petsSchema, example: [PET_EXAMPLE] }),
      400: rejection('invalid_request', 'limit must be an integer from 1 to 100, got "0"'),
    },
  }),

  createPet: operation({
    method: 'post',
    path: '/pets',
    scope: 'pets:write',
    'x-stability': 'stable',
    summary: 'Add a pet',
    description: 'Two equal requests make two pets, unless they carry the same `Idempotency-Key`.',
    requestParams: {
      header: z.object({ 'Idempotency-Key': idempotencyKeyHeader, Prefer: preferHeader }),
    },
    requestBody: {
      required: true,
      description:
        'At most 102,400 bytes of UTF-8, after decompression. Of duplicate names the last one counts.',
      content: { 'application/json': { schema: newPetSchema, example: NEW_PET_EXAMPLE } },
    },
    responses: {
      201: success(
        'The pet was added.',
        { ...LOCATION, ...REPLAYED },
        { schema: petSchema, example: PET_EXAMPLE },
      ),
      400: rejection('invalid_request', 'name is required'),
      413: rejection(
        'payload_too_large',
        'The body must have at most 102400 bytes, after decompression.',
      ),
      415: rejection(
        'unsupported_media_type',
        'The body must be sent as Content-Type: application/json, in UTF-8.',
        ACCEPT_ENCODING,
      ),
      422: rejection(
        'idempotency_key_reused',
        'This idempotency key was used to create another pet.',
      ),
    },
  }),

  getPet: operation({
    method: 'get',
    path: '/pets/{petId}',
    scope: 'pets:read',
    'x-stability': 'stable',
    deprecated: true,
    'x-deprecated-sunset': new Date(SUNSET).toISOString().slice(0, 10),
    summary: 'Get a pet',
    description:
      'Will be removed on 5 December 2030. Use `GET /pets` with a `status` filter instead.',
    requestParams: { path: z.object({ petId }), header: z.object({ Prefer: preferHeader }) },
    responses: {
      200: success('The pet.', DEPRECATION, { schema: petSchema, example: PET_EXAMPLE }),
      400: rejection('invalid_request', 'unknown with handling=strict: "x"', DEPRECATION),
      404: rejection('not_found', 'There is no pet 1.', DEPRECATION),
      410: rejection('gone', GONE, DEPRECATION),
    },
  }),
}

function operation({ responses, ...own }: Operation): Operation {
  return {
    ...own,
    responses: {
      ...responses,
      ...commonErrorResponses(own.scope, own.deprecated ? DEPRECATION : {}),
    },
  }
}

/** The path that all operations are below. */
export const BASE = '/v1'

/** The operations as a list, with the templates of their whole paths. */
export const DECLARED_OPERATIONS: readonly (Operation & {
  readonly name: OperationName
  readonly template: string
})[] = Object.entries(OPERATIONS).map(([name, operation]) => ({
  ...operation,
  name: name as OperationName,
  template: `${BASE}${operation.path}`,
}))

/** The methods that any operation has, for CORS and for the service as a whole. */
export const METHODS: string = allowedWith([
  ...new Set(DECLARED_OPERATIONS.map(({ method }) => method)),
])

/** The declared operations as logs and metrics name them, with the statuses that they declare. */
export const DECLARED_ROUTES: readonly {
  readonly method: string
  readonly route: string
  readonly isDeprecated: boolean
  readonly statuses: readonly string[]
}[] = DECLARED_OPERATIONS.map(({ method, template, deprecated = false, responses }) => ({
  method: method.toUpperCase(),
  route: template,
  isDeprecated: deprecated,
  statuses: Object.keys(responses).filter((status) => status !== 'default'),
}))
