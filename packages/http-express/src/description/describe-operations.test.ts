import { type PetInput, validateNewPet } from '@pet-store/domain'
import { expect } from 'vitest'
import { ERROR_STATUS } from '../response/http-error.ts'
import { openApiJson } from '../routes/description-route.ts'
import { schemaAt } from '../testing/expect-declared.test-support.ts'
import { it } from '../testing/start-test-server.test-support.ts'

const JSON_TEXT = await openApiJson()
const document = JSON.parse(JSON_TEXT)

it('the description has the operations, statuses, stability and sunset of the document', () => {
  const facts = operationsOf((operation) => {
    const { operationId, deprecated, security, responses } = operation
    const statuses = Object.keys(responses).join(' ')
    return [
      operationId,
      statuses,
      operation['x-stability'],
      deprecated,
      operation['x-deprecated-sunset'],
      security,
    ]
  })
  expect(facts).toMatchObject({
    'GET /pets': ['listPets', '200 400 401 403 429 default', 'stable', ...Array(3)],
    'POST /pets': ['createPet', '201 400 401 403 413 415 422 429 default', 'stable', ...Array(3)],
    'GET /pets/{petId}': [
      'getPet',
      '200 400 401 403 404 410 429 default',
      'stable',
      true,
      '2030-12-05',
      undefined,
    ],
  })
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { version: '1.0.0' },
    servers: [{ url: '/v1' }],
    security: [{ bearerAuth: [] }],
    components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
  })
})

it('the description has the three parameters of listPets with their bounds', () => {
  const query = document.paths['/pets'].get.parameters.filter(
    (parameter: { in: string }) => parameter.in === 'query',
  )
  expect(
    query.map(({ name, schema, required = false }: Record<string, unknown>) => [
      name,
      schema,
      required,
    ]),
  ).toEqual([
    ['limit', { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 }, false],
    ['status', { $ref: '#/components/schemas/PetStatus' }, false],
    ['cursor', { type: 'string', minLength: 1, maxLength: 512 }, false],
  ])
  expect(document.components.schemas.PetStatus.enum).toEqual(['available', 'pending', 'sold'])
})

it('the description has the bounds of every int64 digit for digit', () => {
  const count = (text: string) => JSON_TEXT.split(text).length - 1
  const integers = count('"format": "int64"')
  expect(integers).toBeGreaterThan(0)
  expect(count('"minimum": -9223372036854775808')).toBe(integers)
  expect(count('"maximum": 9223372036854775807')).toBe(integers)
})

it('the description lists every code of an error', () => {
  expect(document.components.schemas.Error.properties.code.examples).toEqual(
    Object.keys(ERROR_STATUS),
  )
})

it('the description has no pattern with a quote, which would end generated strings', () => {
  const patterns = [...JSON_TEXT.matchAll(/"pattern": (".*")/g)].map(([, text = '']) => text)
  expect(patterns.length).toBeGreaterThan(0)
  expect(patterns.filter((text) => JSON.parse(text).includes('"'))).toEqual([])
})

it('the description allows new fields in responses', () => {
  expect(JSON_TEXT).not.toContain('additionalProperties')
})

it('the pattern of names accepts the same names as the domain, with and without the flag u', () => {
  const { pattern, maxLength } = document.components.schemas.NewPet.properties.name
  const described = [new RegExp(pattern), new RegExp(pattern, 'u')]
  const units = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code))
  const disagreed = [...units, '', '🐕', '\udc00\ud800'].flatMap((text) =>
    [text, ` ${text}`, `a${text}`, `${text}a`, `🐕${text} `].filter((name) => {
      const isName = isAName(name)
      return described.some((regExp) => regExp.test(name) !== isName)
    }),
  )
  expect(disagreed).toEqual([])
  expect([isAName('🐕'.repeat(maxLength)), isAName('🐕'.repeat(maxLength + 1))]).toEqual([
    true,
    false,
  ])
})

it.for(Object.entries(operationsOf((operation) => operation)))(
  'the operation %s responds to its example with its example',
  async ([request, { operationId, parameters = [], requestBody, responses }], { server }) => {
    const [method = '', path = ''] = request.split(' ')
    const { get, post } = document.paths['/pets']
    const newPet = post.requestBody.content['application/json'].example
    expect(schemaAt(['components', 'schemas', 'NewPet'])(newPet)).toBe(true)
    const listed = get.responses[200].content['application/json'].example as Record<
      string,
      unknown
    >[]
    for (const { id: _, ...pet } of operationId === 'createPet' ? [] : listed)
      await server.post(JSON.stringify(pet))
    const target = path.replace(
      /\{(\w+)\}/,
      (_, sought) => `${parameters.find(({ name }) => name === sought)?.example}`,
    )
    const body = requestBody?.content['application/json'].example
    const sending = { method, path: `/v1${target}` }
    const response =
      body === undefined
        ? await server.send(sending)
        : await server.post(JSON.stringify(body), sending)
    const example = responses[response.status]?.content?.['application/json'].example
    expect([response.status < 300, response.text]).toEqual([
      true,
      example === undefined ? '' : JSON.stringify(example),
    ])
  },
)

interface DescribedOperation {
  readonly operationId: string
  readonly deprecated?: boolean
  readonly security?: unknown
  readonly 'x-stability': string
  readonly 'x-deprecated-sunset'?: string
  readonly parameters?: readonly { readonly name: string; readonly example?: unknown }[]
  readonly requestBody?: Content
  readonly responses: Record<string, Partial<Content>>
}

interface Content {
  readonly content: { readonly 'application/json': { readonly example: unknown } }
}

function operationsOf<T>(fact: (operation: DescribedOperation) => T): Record<string, T> {
  const paths = Object.entries<Record<string, DescribedOperation>>(document.paths)
  return Object.fromEntries(
    paths.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        fact(operation),
      ]),
    ),
  )
}

function isAName(name: string): boolean {
  try {
    validateNewPet({ name, categoryId: 1n } satisfies PetInput)
    return true
  } catch {
    return false
  }
}
