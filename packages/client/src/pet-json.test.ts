import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createPetStoreClient } from './create-pet-store-client.ts'
import { json, rejectionOf, startStub } from './testing/start-stub.test-support.ts'

const EDGES = `0 -1 9007199254740991 9007199254740992 9007199254740993 -9007199254740993
  9223372036854775807 -9223372036854775808`.split(/\s+/)

describe('64-bit integers', () => {
  it.each(EDGES)('the integer %s is exact on the wire in both directions', async (digits) => {
    const pet = `{"id":${digits},"name":"Rex","categoryId":${digits}}`
    const stub = await startStub(json(201, pet), json(200, pet), json(200, `[${pet}]`))
    const client = createPetStoreClient({ baseUrl: stub.baseUrl })
    const expected = { id: BigInt(digits), name: 'Rex', categoryId: BigInt(digits) }

    expect(await client.createPet({ name: 'Rex', categoryId: BigInt(digits) })).toEqual(expected)
    expect(await client.getPet(BigInt(digits))).toEqual(expected)
    expect((await client.listPets()).pets).toEqual([expected])
    expect(stub.requests[0]?.body).toBe(`{"name":"Rex","categoryId":${digits}}`)
    expect(stub.requests[1]?.url).toBe(`/v1/pets/${digits}`)
  })

  it('the client accepts safe integers as numbers', async () => {
    const stub = await startStub(json(201, '{"id":1,"name":"Rex","categoryId":1}'))
    const client = createPetStoreClient({ baseUrl: stub.baseUrl })
    for (const categoryId of [5, -0, Number.MAX_SAFE_INTEGER])
      await client.createPet({ name: '5', categoryId })
    expect(stub.requests.map(({ body }) => body)).toEqual([
      '{"name":"5","categoryId":5}',
      '{"name":"5","categoryId":0}',
      '{"name":"5","categoryId":9007199254740991}',
    ])
  })

  it.each([2 ** 53, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null, undefined])(
    'the client rejects %o as an integer without sending a request',
    async (value) => {
      const stub = await startStub(json(200, '[]'))
      const client = createPetStoreClient({ baseUrl: stub.baseUrl })
      const got = typeof value === 'string' ? `the string "${value}"` : String(value)
      const rule = `must be a bigint or a safe integer, got ${got}.`
      const pet = { name: 'Rex', categoryId: value as number }
      await expect(client.createPet(pet)).rejects.toThrow(new RangeError(`categoryId ${rule}`))
      await expect(client.getPet(value as number)).rejects.toThrow(new RangeError(`id ${rule}`))
      expect(stub.requests).toEqual([])
    },
  )
})

it('an old browser rejects integers beyond 2^53 instead of rounding them', async () => {
  const petWithId = (digits: string) =>
    json(200, `{"id":${digits},"name":"Rex","categoryId":-9007199254740991}`)
  const stub = await startStub(petWithId('9007199254740991'), petWithId('9007199254740993'))
  const parse = JSON.parse
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) =>
    parse(text, reviver && ((key, value) => reviver.call(undefined, key, value))),
  )
  onTestFinished(() => void vi.restoreAllMocks())
  const client = createPetStoreClient({ baseUrl: stub.baseUrl })
  expect(await client.getPet(1)).toEqual({
    id: 9007199254740991n,
    name: 'Rex',
    categoryId: -9007199254740991n,
  })
  const error = await rejectionOf(client.getPet(1))
  expect(error).toMatchObject({ code: 'unexpected_response', status: 200 })
  const reason = 'id is beyond 2^53; reading it exactly needs Node 22, Chrome 114, '
  expect(error.message).toContain(`(status 200) cannot be read here: ${reason}`)
  expect(String(error.cause)).toContain(`RangeError: ${reason}`)
})

describe('reading a pet', () => {
  it('a pet that is read has no fields that the client does not know', async () => {
    const stub = await startStub(
      json(200, '{"id":1,"name":"Rex","categoryId":1,"status":"sold","age":3,"tags":[1]}'),
    )
    const pet = await createPetStoreClient({ baseUrl: stub.baseUrl }).getPet(1)
    expect(pet).toEqual({ id: 1n, name: 'Rex', categoryId: 1n, status: 'sold' })
  })

  it.each([
    ...[
      '{"id":1,"categoryId":1}',
      '{"id":1,"name":5,"categoryId":1}',
      'null',
      '[]',
      '5',
      '',
      '{"id":1,',
    ],
    ...['1.5', '9007199254740993.5', '1e99', '"5"', 'null', 'true', '[]', '{}'].map(
      (id) => `{"id":${id},"name":"Rex","categoryId":1}`,
    ),
    '{"id":1,"name":"Rex","categoryId":1,"status":null}',
  ])('the client rejects the pet %j of a response', async (body) => {
    const stub = await startStub(json(200, body))
    const client = createPetStoreClient({ baseUrl: stub.baseUrl })
    expect(await rejectionOf(client.getPet(1))).toMatchObject({
      code: 'unexpected_response',
      status: 200,
    })
  })

  it('the client rejects a list that is not an array', async () => {
    const { baseUrl } = await startStub(json(200, '{"pets":[]}'))
    const { code } = await rejectionOf(createPetStoreClient({ baseUrl }).listPets())
    expect(code).toBe('unexpected_response')
  })
})
