import { createDocument, type ZodOpenApiOverrideContext, type ZodOpenApiPathsObject } from 'zod-openapi'
import { jsonOf } from './describe-schema.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS, type Operations } from './operations.ts'

const ABOUT = `A store's pets.

Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. \`HEAD\` answers wherever \`GET\` does; \`OPTIONS\` says what a
path can do; any other method is 405. Parameters and fields that are not described are ignored, or refused on demand (\`Prefer\`).
\`id\` and \`categoryId\` are integers of 64 bits, exact to the last digit: a reader that rounds beyond 2^53 needs to be told.
Every error answer has the body \`Error\`.`

/** The OpenAPI description of everything under `/v1`, as JSON text: the declared operations and nothing else. */
export const OPENAPI_JSON: string = `${jsonOf(
  createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Pet Store',
        version: '1.0.0',
        description: ABOUT,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/v1' }],
      security: [{ bearerAuth: [] }],
      tags: [{ name: 'pets', description: 'The pets of the store.' }],
      paths: paths(OPERATIONS),
      components: {
        securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      },
    },
    { override: allowMore },
  ),
)}\n`

function paths(operations: Operations): ZodOpenApiPathsObject {
  const described: ZodOpenApiPathsObject = {}
  for (const [operationId, { method, path, ...operation }] of Object.entries<Operation>({ ...operations })) {
    described[path] = { ...described[path], [method]: { operationId, tags: ['pets'], ...operation } }
  }
  return described
}

/** Answers may get new fields; zod takes every object that comes out for complete. */
function allowMore({ jsonSchema, io }: ZodOpenApiOverrideContext): void {
  if (io === 'output') delete jsonSchema.additionalProperties
}
