import { type ERROR_STATUS, openApiJson } from '@pet-store/http-express'
import { expect, expectTypeOf, it } from 'vitest'
import { createPetStoreClient, OPERATIONS, type PetStoreClient } from './create-pet-store-client.ts'
import type { ServiceErrorCode } from './pet-store-error.ts'
import { API_KEY, startService } from './testing/start-service.test-support.ts'
import {
  breakMidway,
  error,
  html,
  json,
  rejectionOf,
  startStub,
} from './testing/start-stub.test-support.ts'

async function startedClient(): Promise<PetStoreClient> {
  const { baseUrl } = await startService()
  return createPetStoreClient({ baseUrl, apiKey: API_KEY, retries: 0 })
}

// The contract in packages/contracts shows more of what the client and the service do together.

it('createPet returns the pet with its id, and leaves an absent status absent', async () => {
  const client = await startedClient()
  const rex = { name: 'Rex "the" 🐕\n', categoryId: 7n, status: 'sold' } as const
  expect(await client.createPet(rex)).toEqual({ id: 1n, ...rex })
  const mia = await client.createPet({ name: 'Mia', categoryId: 7, status: undefined })
  expect(Object.keys(mia)).toEqual(['id', 'name', 'categoryId'])
})

it('listPets sends no query by default, however the base address ends', async () => {
  const stub = await startStub(json(200, '[]'))
  for (const baseUrl of [
    stub.baseUrl,
    `${stub.baseUrl}/`,
    `${stub.baseUrl}?`,
    `${stub.baseUrl}/#`,
    new URL(`${stub.origin}/a/prefix/v1/`),
  ]) {
    expect(await createPetStoreClient({ baseUrl }).listPets()).toEqual({ pets: [] })
  }
  expect(stub.requests.map(({ url }) => url)).toEqual([
    ...Array(4).fill('/v1/pets'),
    '/a/prefix/v1/pets',
  ])
})

it.each(['', 'two words', 'Schlüssel', 'line\n', 'x'.repeat(256)])(
  'createPet rejects the idempotency key %j, and sends nothing',
  async (idempotencyKey) => {
    const stub = await startStub(json(201, '{}'))
    const creation = createPetStoreClient({ baseUrl: stub.baseUrl }).createPet(
      { name: 'Rex', categoryId: 1 },
      { idempotencyKey },
    )
    await expect(creation).rejects.toThrow(
      new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters.'),
    )
    expect(stub.requests).toEqual([])
  },
)

it('idempotency keys that the client makes up begin with the time, and differ', async () => {
  const stub = await startStub(json(201, '{"id":1,"name":"Rex","categoryId":1}'))
  const client = createPetStoreClient({ baseUrl: stub.baseUrl })
  const before = Date.now()
  for (let time = 0; time < 3; time += 1) await client.createPet({ name: 'Rex', categoryId: 1 })
  const keys = stub.requests.map(({ headers }) => String(headers['idempotency-key']))
  const times = keys.map((key) => Number.parseInt(key.slice(0, 12), 16))
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(times.every((time) => time >= before && time <= Date.now())).toBe(true)
  expect(new Set(keys).size).toBe(3)
})

it.each([
  ['a lost response', breakMidway, 'connection_failed'],
  ['an error response', error(503, 'service_unavailable'), 'service_unavailable'],
  ['a response of something else', html(500), 'unexpected_response'],
])(
  'createPet says after %s with which idempotency key it can be called again',
  async (_what, failure, code) => {
    const stub = await startStub(failure, json(201, '{"id":1,"name":"Rex","categoryId":1}'))
    const client = createPetStoreClient({ baseUrl: stub.baseUrl, retries: 0 })
    const rex = { name: 'Rex', categoryId: 1 }
    const rejection = await rejectionOf(client.createPet(rex))
    expect(rejection.code).toBe(code)
    const { idempotencyKey } = rejection
    await client.createPet(rex, { idempotencyKey })
    const [first, second] = stub.requests.map(({ headers }) => headers['idempotency-key'])
    expect([first, second]).toEqual([idempotencyKey, idempotencyKey])
    expect(idempotencyKey).toMatch(/^[0-9a-f]{32}$/)
  },
)

it('the client has every operation of the description, with its method and success', async () => {
  const paths: Record<
    string,
    Record<string, { operationId: string; responses: object }>
  > = JSON.parse(await openApiJson()).paths
  const described = Object.values(paths).flatMap((methods) =>
    Object.entries(methods).map(([method, { operationId, responses }]) => {
      const successStatus = Number(Object.keys(responses).find((status) => status < '300'))
      return [operationId, { method: method.toUpperCase(), successStatus }]
    }),
  )
  expect(OPERATIONS).toMatchObject(Object.fromEntries(described))
  expect(Object.keys(OPERATIONS)).toHaveLength(described.length)
  expect(createPetStoreClient({ baseUrl: 'http://localhost/v1' })).toMatchObject(
    Object.fromEntries(described.map(([name]) => [name, expect.any(Function)])),
  )
})

it('operations are idempotent by their methods (RFC 9110, 9.2.2); a PATCH may be', () => {
  for (const { method, isIdempotent } of Object.values(OPERATIONS))
    if (method !== 'PATCH') expect(isIdempotent).toBe(method !== 'POST')
})

it('every field of the description reaches the service, and comes back', async () => {
  const { paths, components } = JSON.parse(await openApiJson())
  const { example } = paths['/pets'].post.requestBody.content['application/json']
  expect(Object.keys(example)).toEqual(Object.keys(components.schemas.NewPet.properties))
  expect(Object.keys({ id: 1, ...example })).toEqual(Object.keys(components.schemas.Pet.properties))
  const client = await startedClient()
  const pet = { ...example, id: 1n, categoryId: BigInt(example.categoryId) }
  expect(await client.createPet(example)).toEqual(pet)
  expect(await client.getPet(1)).toEqual(pet)
  expect(await client.listPets()).toEqual({ pets: [pet] })
})

it('ServiceErrorCode has every code that the service can send, which the compiler checks', () => {
  expectTypeOf<ServiceErrorCode>().toEqualTypeOf<keyof typeof ERROR_STATUS>()
})

const baseUrl = 'https://pets.example/v1'
const invalid = (name: string, message: RegExp, ...values: unknown[]) =>
  values.map((value) => [name, value, message] as const)

it.each([
  ...invalid(
    'apiKey',
    /^apiKey must be one or more visible ASCII/,
    '',
    ' ',
    'a key',
    'a\nkey',
    'schlüssel',
  ),
  ...invalid(
    'baseUrl',
    /./,
    '',
    '/v1',
    'pets.example/v1',
    'localhost:3000/v1',
    'ftp://pets.example/v1',
  ),
  ...invalid(
    'baseUrl',
    /without user/,
    'https://me:x@pets.example/v1',
    `${baseUrl}?a=b`,
    `${baseUrl}#a`,
  ),
  ...invalid('timeoutMs', /^timeoutMs must /, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31),
  ...invalid('retries', /^retries must /, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY),
])('createPetStoreClient rejects the %s %j', (name, value, message) => {
  const create = () => createPetStoreClient({ baseUrl, [name]: value })
  expect(create).toThrow(message)
})
