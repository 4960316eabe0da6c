import { createMemoryPets } from '@pet-store/domain/memory'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError, expectErrorBody } from './testing/expect-error.test-support.ts'
import {
  type DescribedRequest,
  invalid,
  invalidText,
  jsonText,
  type SentParameter,
  served,
  valid,
} from './testing/generate.test-support.ts'
import { openTestServer, type TestServer } from './testing/start-test-server.test-support.ts'

/**
 * A cursor is only ever taken from a link, and a key decides about a second request: both have
 * tests of their own.
 */
const LEFT_OUT = ['cursor', 'Idempotency-Key']

/** A request as a client with nothing but the description would make it. */
interface Sent {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

interface Operation extends DescribedRequest {
  readonly method: string
  readonly path: string
  readonly sent: readonly SentParameter[]
}

const operations: Operation[] = Object.entries(served.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path: `/v1${path}`,
    sent: operation.parameters.filter(({ name }) => !LEFT_OUT.includes(name)),
  })),
)

function bodySchemaOf(operation: Operation) {
  return operation.requestBody?.content['application/json'].schema
}

/** Values of the parameters, by name; headers only of letters that every client can send. */
function validParameters({ sent }: Operation): fc.Arbitrary<Record<string, unknown>> {
  const values = sent.map((parameter) => [
    parameter.name,
    parameter.in === 'header' ? fc.stringMatching(/^[ -~]*$/) : valid(parameter.schema),
  ])
  const required = sent.filter((parameter) => parameter.required === true).map(({ name }) => name)
  return fc.record(Object.fromEntries(values), { requiredKeys: required })
}

function requestOf(
  { method, path, sent }: Operation,
  values: Record<string, unknown>,
  body?: unknown,
): Sent {
  const parametersIn = (position: SentParameter['in']) =>
    sent.filter((parameter) => parameter.in === position && values[parameter.name] !== undefined)
  const query = parametersIn('query').map(
    ({ name }) => `${name}=${encodeURIComponent(String(values[name]))}`,
  )
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])))
  const headers = parametersIn('header').map(({ name }) => [name, String(values[name])])
  return {
    method,
    path: `${filled}${query.length > 0 ? '?' : ''}${query.join('&')}`,
    headers: {
      ...Object.fromEntries(headers),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: jsonText(body) }),
  }
}

function validBody(operation: Operation): fc.Arbitrary<unknown> {
  const schema = bodySchemaOf(operation)
  return schema === undefined ? fc.constant(undefined) : valid(schema)
}

/** Every request that the description allows. */
function validRequests(operation: Operation): fc.Arbitrary<Sent> {
  return fc
    .tuple(validParameters(operation), validBody(operation))
    .map(([values, body]) => requestOf(operation, values, body))
}

/** Requests in which one parameter or the body breaks one rule, with the status that each gets. */
function invalidRequests(
  operation: Operation,
): fc.Arbitrary<readonly [request: Sent, rejected: number]> {
  const schema = bodySchemaOf(operation)
  const bodies =
    schema === undefined
      ? []
      : [
          fc
            .tuple(validParameters(operation), invalid(schema))
            .map(([values, body]) => [requestOf(operation, values, body), 400] as const),
        ]
  const parameters = operation.sent
    .filter((parameter) => parameter.in !== 'header')
    .map(({ name, schema, in: position }) =>
      fc
        .tuple(validParameters(operation), invalidText(schema), validBody(operation))
        .map(([values, text, body]) => {
          const request = requestOf(operation, { ...values, [name]: text }, body)
          return [request, position === 'path' ? 404 : 400] as const
        }),
    )
  return fc.oneof(...bodies, ...parameters)
}

// The test server compares every response with the description: its status, headers, content type
// and schema.
describe.each(operations)('$operationId, as it is described,', (operation) => {
  const { operationId } = operation
  let server: TestServer
  let pets = createMemoryPets()
  beforeAll(async () => {
    server = await openTestServer({
      repository: new Proxy(pets, { get: (_, name) => Reflect.get(pets, name) }),
    })
  })
  afterAll(() => server.close())

  it(`${operationId} accepts what the description allows`, async () => {
    const accepted = Number(
      Object.keys(operation.responses).find((status) => status.startsWith('2')),
    )
    await fc.assert(
      fc.asyncProperty(validRequests(operation), async (request) => {
        const id = /^\/v1\/pets\/(-?\d+)/.exec(request.path)?.[1]
        pets = createMemoryPets(
          id === undefined ? [] : [{ id: BigInt(id), name: 'Rex', categoryId: 1n }],
        )
        const response = await server.send(request)
        expect(response.status, response.text).toBe(accepted)
      }),
    )
  })

  it(`${operationId} rejects what the description does not allow`, async () => {
    await fc.assert(
      fc.asyncProperty(invalidRequests(operation), async ([request, rejected]) => {
        const response = await server.send(request)
        expectErrorBody(response)
        expect(response.status, response.text).toBe(rejected)
      }),
    )
  })

  it(`${operationId} responds to OPTIONS with its methods, and rejects others`, async () => {
    const described = Object.keys(served.paths[operation.path.replace('/v1', '')] ?? {})
    const allow = [...described, 'options'].join(', ').toUpperCase().replace('GET', 'GET, HEAD')
    const path = operation.path.replace(/\{\w+\}/, '1')
    const options = await server.send({ method: 'OPTIONS', path })
    expect(options).toMatchObject({
      status: 204,
      text: '',
      headers: { allow, 'cache-control': 'no-store' },
    })
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'M-SEARCH']
    for (const method of methods.filter((name) => !described.includes(name.toLowerCase()))) {
      const response = await server.send({ method, path })
      expect(expectError(response, 'method_not_allowed')).toContain(method)
      expect(response.headers['allow']).toBe(allow)
    }
  })
})
