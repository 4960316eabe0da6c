import { INT64 } from '@pet-store/domain'
import {
  createDocument,
  type ZodOpenApiOverrideContext,
  type ZodOpenApiPathsObject,
} from 'zod-openapi'
import { ERROR_STATUS } from '../response/http-error.ts'
import { rawJSON } from '../wire/raw-json.ts'
import { codeSamples } from './code-samples.ts'
import type { Declaration } from './declaration.ts'
import { MEANING } from './error-codes.ts'
import { allResponses } from './responses.ts'
import { TAGS } from './tags.ts'

/**
 * The introduction, with the changes for clients, newest first. `/docs` shows them too. Until 1.0.0
 * is released, its list of operations is that of the code.
 */
const about = (operations: readonly string[]) => `A store's pets.

Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. \`HEAD\` \
is possible wherever \`GET\` is; \`OPTIONS\` lists what a
path allows; any other method is 405. Parameters and fields \
that are not described are ignored, or rejected on request (\`Prefer\`).
\`id\` and \`categoryId\` are 64-bit integers, exact to the last digit: \
a parser that rounds beyond 2^53 must be configured.
Every error response has the body \`Error\`.

## Changes

1.0.0, not released yet:

* ${operations.map((name) => `\`${name}\``).join(', ')}.
* \`getPet\` is deprecated from the start and is removed on 5 December 2030; \
use \`listPets\` with a \`status\`.
* Pages: \`Link\` with \`rel="next"\`, and the parameter \`cursor\`.
* Safe repetition of \`createPet\`: \`Idempotency-Key\`, and \`Idempotency-Replayed\` in responses.
* Unknown parameters and fields as errors: \`Prefer: handling=strict\`.`

/** The OpenAPI description of the operations, as JSON text. */
export function describeOperations(operations: Readonly<Record<string, Declaration>>): string {
  const description = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Pet Store',
        version: '1.0.0',
        description: about(Object.keys(operations)),
        contact: { name: 'The operator of the service that you call' },
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      servers: [{ url: '/v1' }],
      security: [{ bearerAuth: [] }],
      tags: Object.entries(TAGS).map(([name, text]) => ({ name, description: text })),
      paths: pathsOf(operations),
      components: {
        securitySchemes: {
          bearerAuth: {
            type: 'http',
            scheme: 'bearer',
            description: 'The API key that the operator of the service has issued to you.',
          },
        },
      },
    },
    { override: allowMore },
  )
  return `${jsonOf({ ...description, 'x-errors': describedErrors() })}\n`
}

function pathsOf(operations: Readonly<Record<string, Declaration>>): ZodOpenApiPathsObject {
  const described: ZodOpenApiPathsObject = {}
  for (const [operationId, declaration] of Object.entries(operations)) {
    const { method, path, stability, sunset, published } = declaration
    const body = published.requestBody?.content['application/json']?.example as object | undefined
    described[path] = {
      ...described[path],
      [method]: {
        operationId,
        tags: [tagOf(path)],
        'x-stability': stability,
        ...(sunset !== undefined && { deprecated: true, 'x-deprecated-sunset': sunset }),
        ...published,
        responses: allResponses(declaration),
        'x-codeSamples': codeSamples({ operationId, method, path, body }),
      },
    }
  }
  return described
}

/** The tag of an operation is its resource: the first part of its path. */
function tagOf(path: string): string {
  return path.split('/')[1] ?? ''
}

/** Every error code with its status and its meaning, for reference pages. */
function describedErrors(): object {
  const codes = Object.keys(ERROR_STATUS) as (keyof typeof ERROR_STATUS)[]
  return Object.fromEntries(
    codes.map((code) => [code, { status: ERROR_STATUS[code], meaning: MEANING[code] }]),
  )
}

/**
 * Allows further properties in responses, which may get new fields. By default zod-openapi forbids
 * them.
 */
function allowMore({ jsonSchema, io }: ZodOpenApiOverrideContext): void {
  if (io === 'output') delete jsonSchema.additionalProperties
}

/**
 * Writes a description as JSON text, with the bounds of int64, which are exact only as raw text:
 * JavaScript numbers would round them.
 */
function jsonOf(description: object): string {
  return JSON.stringify(description, withBounds, 2)
}

function withBounds(_key: string, value: unknown): unknown {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('format' in value) ||
    value.format !== 'int64'
  )
    return value
  return { ...value, minimum: rawJSON(`${INT64.min}`), maximum: rawJSON(`${INT64.max}`) }
}
