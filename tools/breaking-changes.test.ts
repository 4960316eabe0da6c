import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { breakingChanges } from './breaking-changes.ts'

/** The parts of the description that the tests change. */
interface Document {
  info: { description: string }
  servers: [{ url: string }]
  paths: { '/pets': { get: Operation; post?: Operation; put?: object }; '/pets/{petId}'?: object; '/x'?: object }
  components: { schemas: Schemas }
}

interface Operation {
  operationId: string
  summary: string
  security: object[]
  parameters: [Parameter, ...Omit<Parameter, 'schema'>[]]
  requestBody: { content: object }
  responses: { '200': { headers: Headers }; '202'?: object; '400': object; '404'?: object; '422'?: object }
}

interface Parameter {
  in: string
  name: string
  schema: Bounds
  required?: boolean
}

interface Headers {
  'X-Request-Id': { required: boolean }
  'X-New'?: object
  Link?: object
}

interface Schemas {
  NewPet: Fields<{ name: Bounds; status?: object; age?: object }>
  Pet: Fields<{ id: { type: string }; status?: object; age?: object }> & { description: string }
  Pets: { items: object | undefined; maxItems: number }
  PetStatus: { enum: string[] }
  Error: { properties: { status: Bounds; code: { examples: string[] } } }
  Unused?: undefined
}

interface Fields<Properties> {
  required: string[]
  properties: Properties
}

interface Bounds {
  default?: number
  minimum?: number
  maximum?: number
  multipleOf?: number
  maxLength?: number
}

const committed = readFileSync(join(import.meta.dirname, '../docs/openapi.json'), 'utf8')

/** What is reported after this change of the committed description. */
function after(change: (document: Document) => void): string[] {
  const [older, newer] = [JSON.parse(committed), JSON.parse(committed)]
  change(newer)
  return breakingChanges(older, newer)
}

const list = (document: Document) => document.paths['/pets'].get
const create = (document: Document) => document.paths['/pets'].post as Operation
const schemas = (document: Document) => document.components.schemas
const limit = (document: Document) => list(document).parameters[0].schema

describe('breaking changes', () => {
  it.each<[string, (document: Document) => void, string]>([
    ['a removed path', (it) => delete it.paths['/pets/{petId}'], 'GET /pets/{petId}: removed'],
    ['a removed operation', (it) => delete it.paths['/pets'].post, 'POST /pets: removed'],
    ['another operationId', (it) => (list(it).operationId = 'pets'), 'GET /pets: has another operationId'],
    ['other security', (it) => (list(it).security = []), 'GET /pets: has other security'],
    ['another base address', (it) => (it.servers[0].url = '/v2'), 'servers: changed'],
    ['a removed status', (it) => delete create(it).responses['422'], 'POST /pets 422: removed'],
    [
      'a new successful status',
      (it) => (create(it).responses['202'] = {}),
      'POST /pets 202: a success that no client expects',
    ],
    ['a removed parameter', (it) => list(it).parameters.shift(), 'GET /pets query limit: removed'],
    [
      'a parameter that becomes required',
      (it) => (list(it).parameters[0].required = true),
      'GET /pets query limit: became required',
    ],
    [
      'a new parameter that is required',
      (it) => list(it).parameters.push({ in: 'query', name: 'x', required: true }),
      'GET /pets query x: new and required',
    ],
    ['a lower maximum', (it) => (limit(it).maximum = 50), 'GET /pets query limit: maximum was 100, is 50'],
    ['a higher minimum', (it) => (limit(it).minimum = 2), 'GET /pets query limit: minimum was 1, is 2'],
    ['another default', (it) => (limit(it).default = 10), 'GET /pets query limit: default was 20, is 10'],
    ['a new bound', (it) => (limit(it).multipleOf = 5), 'GET /pets query limit: multipleOf was nothing, is 5'],
    [
      'a shorter name',
      (it) => (schemas(it).NewPet.properties.name.maxLength = 9),
      'POST /pets body name: maxLength was 1000, is 9',
    ],
    [
      'a field that becomes required',
      (it) => schemas(it).NewPet.required.push('status'),
      'POST /pets body: required was ["name","categoryId"], is ["name","categoryId","status"]',
    ],
    [
      'a field that can no longer be sent',
      (it) => delete schemas(it).NewPet.properties.status,
      'POST /pets body status: removed',
    ],
    [
      'a body of another type',
      (it) => (create(it).requestBody.content = {}),
      'POST /pets body: application/json removed',
    ],
    [
      'a removed field of a response',
      (it) => delete schemas(it).Pet.properties.status,
      'GET /pets 200 item status: removed',
    ],
    [
      'a field of a response that becomes optional',
      (it) => schemas(it).Pet.required.pop(),
      'GET /pets 200 item: required was ["id","name","categoryId"], is ["id","name"]',
    ],
    [
      'a field of a response with another type',
      (it) => (schemas(it).Pet.properties.id.type = 'string'),
      'GET /pets 200 item id: type was "integer", is "string"',
    ],
    [
      'a response of another type',
      (it) => (schemas(it).Pets.items = undefined),
      'GET /pets 200: items was {"$ref":"#/components/schemas/Pet"}, is nothing',
    ],
    [
      'a new value in a response',
      (it) => schemas(it).PetStatus.enum.push('lost'),
      'GET /pets 200 item status: enum was ["available","pending","sold"], is ["available","pending","sold","lost"]',
    ],
    [
      'a value that can no longer be sent',
      (it) => schemas(it).PetStatus.enum.pop(),
      'GET /pets query status: enum was ["available","pending","sold"], is ["available","pending"]',
    ],
    [
      'a higher maximum in a response',
      (it) => (schemas(it).Error.properties.status.maximum = 699),
      'GET /pets 400 status: maximum was 599, is 699',
    ],
    [
      'a removed header of a response',
      (it) => delete list(it).responses['200'].headers.Link,
      'GET /pets 200 Link: removed',
    ],
    [
      'a header of a response that becomes optional',
      (it) => (list(it).responses['200'].headers['X-Request-Id'].required = false),
      'GET /pets 200 X-Request-Id: became optional',
    ],
  ])('reports %s', (_what, change, sentence) => {
    expect(after(change)).toContain(sentence)
  })

  it('reports a bound of int64 that moved by one', () => {
    const bounded = (maximum: bigint) => ({
      paths: { '/a': { get: { parameters: [{ in: 'query', name: 'b', schema: { maximum } }] } } },
    })
    expect(breakingChanges(bounded(2n ** 63n - 1n), bounded(2n ** 63n - 2n))).toHaveLength(1)
  })
})

describe('compatible changes', () => {
  it.each<[string, (document: Document) => void]>([
    ['the same description', () => {}],
    ['another description', (it) => (it.info.description = list(it).summary = schemas(it).Pet.description = 'x')],
    ['a new path', (it) => (it.paths['/x'] = { get: { operationId: 'x' } })],
    ['a new operation', (it) => (it.paths['/pets'].put = { operationId: 'x' })],
    ['a new parameter', (it) => list(it).parameters.push({ in: 'query', name: 'x', schema: {} })],
    ['parameters in another order', (it) => list(it).parameters.reverse()],
    ['a higher maximum', (it) => (limit(it).maximum = 200)],
    ['no maximum', (it) => delete limit(it).maximum],
    ['a new field that can be sent', (it) => (schemas(it).NewPet.properties.age = { type: 'integer' })],
    ['a field that becomes optional', (it) => schemas(it).NewPet.required.pop()],
    ['a new field of a response', (it) => (schemas(it).Pet.properties.age = { type: 'integer' })],
    ['a field of a response that becomes required', (it) => schemas(it).Pet.required.push('status')],
    ['a new code', (it) => schemas(it).Error.properties.code.examples.push('x')],
    ['a new error status', (it) => (list(it).responses['404'] = list(it).responses['400'])],
    ['a new header', (it) => (list(it).responses['200'].headers['X-New'] = { schema: {} })],
    ['a lower maximum in a response', (it) => (schemas(it).Error.properties.status.maximum = 500)],
    ['a removed schema that nothing used', (it) => (schemas(it).Unused = undefined)],
    ['a new limit of a list in a response', (it) => (schemas(it).Pets.maxItems = 50)],
  ])('accepts %s', (_what, change) => {
    expect(after(change)).toEqual([])
  })
})
