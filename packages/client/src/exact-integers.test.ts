import { afterEach, describe, expect, it, vi } from 'vitest'
import { createPetStoreClient } from './create-pet-store-client.ts'
import { rejectionOf } from './rejection.test-support.ts'
import { API_KEY, startService } from './start-service.test-support.ts'
import { json, startStub } from './start-stub.test-support.ts'

const EDGES = [
  '0',
  '-1',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
]

describe('integers of 64 bits', () => {
  it.each(EDGES)('%s comes back from the service as it was sent', async (digits) => {
    const { baseUrl } = await startService()
    const client = createPetStoreClient({ baseUrl, apiKey: API_KEY })
    const { id } = await client.createPet({ name: 'Rex', categoryId: BigInt(digits) })
    expect((await client.getPet(id)).categoryId).toBe(BigInt(digits))
  })

  it.each(EDGES)('%s is on the wire digit by digit, in both directions', async (digits) => {
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

  it('may be given as numbers while these are certainly exact', async () => {
    const stub = await startStub(json(201, '{"id":1,"name":"Rex","categoryId":1}'))
    const client = createPetStoreClient({ baseUrl: stub.baseUrl })
    for (const categoryId of [5, -0, Number.MAX_SAFE_INTEGER]) await client.createPet({ name: '5', categoryId })
    expect(stub.requests.map(({ body }) => body)).toEqual([
      '{"name":"5","categoryId":5}',
      '{"name":"5","categoryId":0}',
      '{"name":"5","categoryId":9007199254740991}',
    ])
  })

  it.each([2 ** 53, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null, undefined])(
    'cannot be given as %o, and nothing is sent',
    async (value) => {
      const stub = await startStub(json(200, '[]'))
      const client = createPetStoreClient({ baseUrl: stub.baseUrl })
      const said = `must be a bigint or a safe integer, got ${String(value)}.`
      const pet = { name: 'Rex', categoryId: value as number }
      await expect(client.createPet(pet)).rejects.toThrow(new RangeError(`categoryId ${said}`))
      await expect(client.getPet(value as number)).rejects.toThrow(new RangeError(`id ${said}`))
      expect(stub.requests).toEqual([])
    },
  )

  it.each(['1.5', '9007199254740993.5', '1e99', '"5"', 'null', 'true', '[]', '{}'])(
    'are not what stands in an answer as %s',
    async (value) => {
      const stub = await startStub(json(200, `{"id":${value},"name":"Rex","categoryId":1}`))
      const client = createPetStoreClient({ baseUrl: stub.baseUrl })
      expect(await rejectionOf(client.getPet(1))).toMatchObject({ code: 'unexpected_answer', status: 200 })
    },
  )
})

describe('in a browser whose JSON.parse gives no digits', () => {
  afterEach(() => void vi.restoreAllMocks())

  const inOldBrowser = () => {
    const parse = JSON.parse
    vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) =>
      parse(text, reviver && ((key, value) => reviver.call(undefined, key, value))),
    )
  }

  it('integers up to 2^53 are read', async () => {
    const stub = await startStub(json(200, '{"id":9007199254740991,"name":"Rex","categoryId":-9007199254740991}'))
    inOldBrowser()
    const pet = await createPetStoreClient({ baseUrl: stub.baseUrl }).getPet(1)
    expect(pet).toEqual({ id: 9007199254740991n, name: 'Rex', categoryId: -9007199254740991n })
  })

  it('the others are refused, never rounded', async () => {
    const stub = await startStub(json(200, '{"id":9007199254740993,"name":"Rex","categoryId":1}'))
    inOldBrowser()
    const refused = await rejectionOf(createPetStoreClient({ baseUrl: stub.baseUrl }).getPet(1))
    expect(refused).toMatchObject({ code: 'unexpected_answer', status: 200 })
    expect(String(refused.cause)).toBe('RangeError: id is beyond 2^53, and this browser is too old to read it exactly.')
  })
})

describe('the rest of a pet', () => {
  it('is left out where this client does not know it', async () => {
    const stub = await startStub(json(200, '{"id":1,"name":"Rex","categoryId":1,"status":"sold","age":3,"tags":[1]}'))
    const pet = await createPetStoreClient({ baseUrl: stub.baseUrl }).getPet(1)
    expect(pet).toEqual({ id: 1n, name: 'Rex', categoryId: 1n, status: 'sold' })
  })

  it.each(['{"id":1,"categoryId":1}', '{"id":1,"name":5,"categoryId":1}', 'null', '[]', '5', '', '{"id":1,'])(
    'makes %j none',
    async (body) => {
      const stub = await startStub(json(200, body))
      const client = createPetStoreClient({ baseUrl: stub.baseUrl })
      expect(await rejectionOf(client.getPet(1))).toMatchObject({ code: 'unexpected_answer', status: 200 })
    },
  )

  it('has no status null', async () => {
    const stub = await startStub(json(200, '{"id":1,"name":"Rex","categoryId":1,"status":null}'))
    const refused = await rejectionOf(createPetStoreClient({ baseUrl: stub.baseUrl }).getPet(1))
    expect(String(refused.cause)).toBe('TypeError: status is not a string.')
  })

  it('is in an array where it is a list', async () => {
    const stub = await startStub(json(200, '{"pets":[]}'))
    const refused = await rejectionOf(createPetStoreClient({ baseUrl: stub.baseUrl }).listPets())
    expect(String(refused.cause)).toBe('TypeError: The list is not an array.')
  })
})
