import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { DEFAULT_STATUSES } from '../description/responses.ts'
import { openApiJson } from '../routes/description-route.ts'
import type { TestResponse } from './expect-error.test-support.ts'

interface DescribedResponse {
  /** Absent for a response without a body. */
  readonly content?: object
  readonly headers: Readonly<
    Record<string, { readonly required: boolean; readonly schema: { readonly type: string } }>
  >
}

interface DescribedOperation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, DescribedResponse>>
}

const description: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
} = JSON.parse(await openApiJson())

/** Headers that do not depend on the operation, so that the description leaves them out. */
const GENERAL = [
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
  ...['cache-control', 'vary', 'content-security-policy', 'referrer-policy'],
  ...['strict-transport-security', 'x-content-type-options'],
]
const GENERAL_PREFIXES = ['access-control-', 'cross-origin-']

function isGeneral(header: string): boolean {
  return GENERAL.includes(header) || GENERAL_PREFIXES.some((prefix) => header.startsWith(prefix))
}

/** The statuses where there is no operation: for another method, or on an unknown path. */
const WITHOUT_OPERATION = [400, 401, 404, 405, 429, ...DEFAULT_STATUSES]

/**
 * Checks the status, the headers and the body of a response against the description. The test
 * server calls it for every response under `/v1`.
 */
export function expectDeclared(method: string, target: string, response: TestResponse): void {
  const url = target.replace(/^http:\/\/[^/?#]*/, '')
  if (!url.startsWith('/v1/')) return
  const path = pathOf(url.slice('/v1'.length).replace(/\?.*/s, ''))
  const operation = path === undefined ? undefined : description.paths[path]?.[verbOf(method)]
  if (path === undefined || operation === undefined) {
    expect(
      path !== undefined && method === 'OPTIONS' ? [204, ...WITHOUT_OPERATION] : WITHOUT_OPERATION,
    ).toContain(response.status)
    return
  }
  const status = DEFAULT_STATUSES.includes(response.status) ? 'default' : String(response.status)
  const declared = operation.responses[status]
  if (declared === undefined)
    throw new Error(
      `${operation.operationId} does not declare ${response.status}: ${response.text}`,
    )
  expectHeaders(operation, declared, response)
  if (declared.content === undefined)
    expect([response.text, response.headers['content-type']]).toEqual(['', undefined])
  else if (method !== 'HEAD') expectBody(path, verbOf(method), status, response)
}

/** The description has HEAD as GET. */
function verbOf(method: string): string {
  return method === 'HEAD' ? 'get' : method.toLowerCase()
}

/** The described path that a path belongs to. */
function pathOf(path: string): string | undefined {
  if (!isDecodable(path)) return undefined
  return Object.keys(description.paths).find((template) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

function expectHeaders(
  { operationId }: DescribedOperation,
  { headers }: DescribedResponse,
  response: TestResponse,
): void {
  const described = Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]),
  )
  const at = `a header of ${operationId} ${response.status}`
  const undeclared = Object.keys(response.headers).filter(
    (name) => !Object.hasOwn(described, name) && !isGeneral(name),
  )
  expect(undeclared, at).toEqual([])
  for (const [name, { required, schema }] of Object.entries(described)) {
    const value = response.headers[name]
    if (required) expect(response.headers, at).toHaveProperty(name)
    if (value === undefined) continue
    expect(
      ajv.validate(schema, schema.type === 'integer' ? Number(value) : value),
      `${name}: ${value}`,
    ).toBe(true)
  }
}

// Ajv does not know these formats of integers; their bounds are in the description as well.
const ajv = new Ajv2020({ allErrors: true, formats: { int32: true, int64: true } }).addVocabulary([
  'x-errors',
  'openapi',
  'info',
  'servers',
  'tags',
  'paths',
  'components',
  'security',
])
ajv.addSchema(description, 'openapi')

const compiled = new Map<string, ValidateFunction>()

function expectBody(
  path: string,
  method: string,
  status: string,
  { text, headers }: TestResponse,
): void {
  expect(headers['content-type']).toBe('application/json')
  const pointer = [
    'paths',
    path,
    method,
    'responses',
    status,
    'content',
    'application/json',
    'schema',
  ]
  const validate = schemaAt(pointer)
  expect(validate(JSON.parse(text)), ajv.errorsText(validate.errors)).toBe(true)
}

/** The check for the schema at a position in the description. */
export function schemaAt(pointer: readonly string[]): ValidateFunction {
  const names = pointer.map((name) =>
    encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')),
  )
  const $ref = `openapi#/${names.join('/')}`
  const validate = compiled.get($ref) ?? ajv.compile({ $ref })
  compiled.set($ref, validate)
  return validate
}
