import type { Scope } from '@pet-store/access'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverrideContext,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'
import type { Method } from '../http/methods.ts'
import { codeSamples } from './code-samples.ts'
import { jsonOf } from './describe-schema.ts'

/**
 * One operation under `/v1`. Its route, the parsing of its parameters and body, and its published
 * description come from this one declaration; the tests check every response against it.
 */
export interface Operation extends ZodOpenApiOperationObject {
  readonly method: Method
  /** Below the base address, with parameters as `{name}`. */
  readonly path: `/${string}`
  /** What the API key must be allowed to do, else 403. */
  readonly scope: Scope
  readonly 'x-stability': 'stable' | 'beta' | 'experimental'
  /** Every response. `default` stands for those that any request to any server can get. */
  readonly responses: ZodOpenApiResponsesObject
}

/**
 * With the changes for clients, newest first. `/docs` shows them too. Version 1.0.0 has every
 * operation that there is before it.
 */
const about = (operations: readonly string[]) => `A store's pets.

Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. \`HEAD\` is possible wherever \`GET\` is; \`OPTIONS\` lists what a
path allows; any other method is 405. Parameters and fields that are not described are ignored, or rejected on request (\`Prefer\`).
\`id\` and \`categoryId\` are 64-bit integers, exact to the last digit: a parser that rounds beyond 2^53 must be configured.
Every error response has the body \`Error\`.

## Changes

1.0.0, not released yet:

* ${operations.map((name) => `\`${name}\``).join(', ')}.
* \`getPet\` is deprecated from the start and is removed on 5 December 2030; use \`listPets\` with a \`status\`.
* Pages: \`Link\` with \`rel="next"\`, and the parameter \`cursor\`.
* Safe repetition of \`createPet\`: \`Idempotency-Key\`, and \`Idempotency-Replayed\` in responses.
* Unknown parameters and fields as errors: \`Prefer: handling=strict\`.`

/** The OpenAPI description of the operations, as JSON text. */
export function describeOperations(operations: Readonly<Record<string, Operation>>): string {
  const description = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Pet Store',
        version: '1.0.0',
        description: about(Object.keys(operations)),
        contact: { name: 'Whoever operates the service that you call' },
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      servers: [{ url: '/v1' }],
      security: [{ bearerAuth: [] }],
      tags: [{ name: 'pets', description: 'The pets of the store.' }],
      paths: pathsOf(operations),
      components: {
        securitySchemes: {
          bearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        },
      },
    },
    { override: allowMore },
  )
  return `${jsonOf(description)}\n`
}

function pathsOf(operations: Readonly<Record<string, Operation>>): ZodOpenApiPathsObject {
  const described: ZodOpenApiPathsObject = {}
  for (const [operationId, { method, path, scope: _, ...operation }] of Object.entries(
    operations,
  )) {
    const body = operation.requestBody?.content['application/json']?.example as object | undefined
    const samples = { 'x-codeSamples': codeSamples(method, path, body) }
    described[path] = {
      ...described[path],
      [method]: { operationId, tags: ['pets'], ...operation, ...samples },
    }
  }
  return described
}

/** Responses may get new fields. zod-openapi describes every output object as complete. */
function allowMore({ jsonSchema, io }: ZodOpenApiOverrideContext): void {
  if (io === 'output') delete jsonSchema.additionalProperties
}
