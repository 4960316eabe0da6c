import { validateNewPet } from '@pet-store/domain'
import { type ERROR_STATUS, openApiJson } from '@pet-store/http-express'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { createPetStoreClient, type PetStoreClient } from './create-pet-store-client.ts'
import type { NewPet } from './pet-json.ts'
import type { ServiceErrorCode } from './pet-store-error.ts'
import { API_KEY, startService } from './testing/start-service.test-support.ts'
import { json, rejectionOf, startStub } from './testing/start-stub.test-support.ts'

async function startedClient(): Promise<PetStoreClient> {
  const { baseUrl } = await startService()
  return createPetStoreClient({ baseUrl, apiKey: API_KEY, retries: 0 })
}

describe('createPet', () => {
  it('gives the pet with its id, and leaves an absent status absent', async () => {
    const client = await startedClient()
    const rex = { name: 'Rex "the" 🐕\n', categoryId: 7n, status: 'sold' } as const
    expect(await client.createPet(rex)).toEqual({ id: 1n, ...rex })
    const mia = await client.createPet({ name: 'Mia', categoryId: 7, status: undefined })
    expect(Object.keys(mia)).toEqual(['id', 'name', 'categoryId'])
  })

  it('adds two pets in two calls, and one under one key of the caller', async () => {
    const client = await startedClient()
    const rex: NewPet = { name: 'Rex', categoryId: 1 }
    const added = [
      await client.createPet(rex),
      await client.createPet(rex),
      await client.createPet(rex, { idempotencyKey: 'rex' }),
      await client.createPet(rex, { idempotencyKey: 'rex' }),
    ]
    expect(added.map(({ id }) => id)).toEqual([1n, 2n, 3n, 3n])
    const reused = rejectionOf(client.createPet({ ...rex, name: 'Mia' }, { idempotencyKey: 'rex' }))
    expect(await reused).toMatchObject({ code: 'idempotency_key_reused', status: 422 })
  })

  it('leaves validation to the service', async () => {
    const client = await startedClient()
    for (const [call, message] of [
      [() => client.createPet({ name: ' ', categoryId: 1 }), /^name must /],
      [() => client.createPet({ categoryId: 1 } as NewPet), /^name /],
      [() => client.listPets({ limit: 101 }), /^limit /],
    ] as const) {
      const expected = { code: 'invalid_request', status: 400, message: expect.stringMatching(message) }
      expect(await rejectionOf(call())).toMatchObject(expected)
    }
  })
})

describe('listPets', () => {
  it('sends limit, status and cursor', async () => {
    const { baseUrl, pets } = await startService()
    for (const status of ['sold', 'available', 'sold', 'sold'] as const) {
      await pets.add(validateNewPet({ name: 'Rex', categoryId: 1n, status }))
    }
    const client = createPetStoreClient({ baseUrl, apiKey: API_KEY })
    const first = await client.listPets({ limit: 2, status: 'sold' })
    expect(first.pets.map(({ id }) => id)).toEqual([1n, 3n])
    expect(first.next).toEqual({ limit: 2, status: 'sold', cursor: expect.stringMatching(/./) })
    const second = await client.listPets(first.next)
    expect(second).toEqual({ pets: [{ id: 4n, name: 'Rex', categoryId: 1n, status: 'sold' }] })
  })

  it('sends no query by default, to a base address with or without a slash', async () => {
    const stub = await startStub(json(200, '[]'))
    for (const baseUrl of [stub.baseUrl, `${stub.baseUrl}/`, new URL(`${stub.origin}/a/prefix/v1/`)]) {
      expect(await createPetStoreClient({ baseUrl }).listPets()).toEqual({ pets: [] })
    }
    expect(stub.requests.map(({ url }) => url)).toEqual(['/v1/pets', '/v1/pets', '/a/prefix/v1/pets'])
  })
})

it.each(['', 'two words', 'Schlüssel', 'line\n', 'x'.repeat(256)])(
  'createPet rejects the idempotency key %j, and sends nothing',
  async (idempotencyKey) => {
    const stub = await startStub(json(201, '{}'))
    const creation = createPetStoreClient({ baseUrl: stub.baseUrl }).createPet(
      { name: 'Rex', categoryId: 1 },
      { idempotencyKey },
    )
    await expect(creation).rejects.toThrow(new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters.'))
    expect(stub.requests).toEqual([])
  },
)

it('getPet gets a pet by its id, and rejects with not_found and the request id for an unknown one', async () => {
  const client = await startedClient()
  const rex = await client.createPet({ name: 'Rex', categoryId: 1 })
  expect([await client.getPet(rex.id), await client.getPet(1)]).toEqual([rex, rex])
  const unknown = await rejectionOf(client.getPet(-5n))
  expect(unknown).toMatchObject({ code: 'not_found', status: 404, retryAfterMs: undefined })
  expect(unknown.requestId).toMatch(/^[0-9a-f-]{36}$/)
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

it.each([undefined, 'pets_guessed'])('rejects with unauthorized for the API key %s', async (apiKey) => {
  const { baseUrl } = await startService()
  const call = createPetStoreClient({ baseUrl, apiKey }).listPets()
  expect(await rejectionOf(call)).toMatchObject({ code: 'unauthorized', status: 401 })
})

it('ServiceErrorCode has every code that the service can send, which the compiler checks', () => {
  expectTypeOf<ServiceErrorCode>().toEqualTypeOf<keyof typeof ERROR_STATUS>()
})
