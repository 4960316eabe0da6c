import { expect, it, vi } from 'vitest'
import { createPetStoreClient } from './create-pet-store-client.ts'
import { API_KEY } from './testing/start-service.test-support.ts'
import {
  error,
  json,
  neverRespond,
  rejectionOf,
  startStub,
} from './testing/start-stub.test-support.ts'

it('a call has its own timeout and its own number of retries', async () => {
  const stub = await startStub(neverRespond)
  const client = createPetStoreClient({ baseUrl: stub.baseUrl })
  const failure = await rejectionOf(client.listPets({}, { timeoutMs: 30, retries: 0 }))
  expect(failure.message).toBe(`No complete response to GET ${stub.baseUrl}/pets within 30 ms.`)
  // On a busy machine the timeout can be over before the first request is sent.
  expect(stub.requests.length).toBeLessThan(2)
})

it('a call with retries: 0 makes one attempt where its client would make six', async () => {
  const stub = await startStub(error(503, 'service_unavailable', { 'Retry-After': '0' }))
  const client = createPetStoreClient({ baseUrl: stub.baseUrl, retries: 5 })
  const creation = client.createPet({ name: 'Rex', categoryId: 1 }, { retries: 0 })
  expect(await rejectionOf(creation)).toMatchObject({ code: 'service_unavailable' })
  expect(stub.requests).toHaveLength(1)
})

it.each([
  [{ timeoutMs: 0 }, 'timeoutMs must be from 1 to 2147483647.'],
  [{ retries: -1 }, 'retries must be an integer from 0.'],
])('a call rejects the options %j, and sends nothing', async (options, message) => {
  const stub = await startStub(json(200, '[]'))
  const client = createPetStoreClient({ baseUrl: stub.baseUrl })
  await expect(client.listPets({}, options)).rejects.toThrow(new TypeError(message))
  expect(stub.requests).toEqual([])
})

it('headers of client and call are sent, and replace none that the client sets', async () => {
  const stub = await startStub(json(201, '{"id":1,"name":"Rex","categoryId":1}'))
  const client = createPetStoreClient({
    baseUrl: stub.baseUrl,
    apiKey: API_KEY,
    headers: { Prefer: 'handling=strict', 'X-Team': 'one' },
  })
  await client.createPet(
    { name: 'Rex', categoryId: 1 },
    {
      idempotencyKey: 'rex',
      headers: {
        'X-Team': 'two',
        Traceparent: '00-1-2-01',
        'content-type': 'text/plain',
        authorization: 'Basic x',
        'IDEMPOTENCY-KEY': 'other',
      },
    },
  )
  expect(stub.requests[0]?.headers).toMatchObject({
    prefer: 'handling=strict',
    'x-team': 'two',
    traceparent: '00-1-2-01',
    'content-type': 'application/json',
    authorization: `Bearer ${API_KEY}`,
    'idempotency-key': 'rex',
  })
})

it('a header of a call replaces the same header of its client, however it is written', async () => {
  const stub = await startStub(json(200, '[]'))
  const { baseUrl } = stub
  const client = createPetStoreClient({ baseUrl, headers: { Prefer: 'handling=lenient' } })
  await client.listPets({}, { headers: { prefer: 'handling=strict' } })
  expect(stub.requests[0]?.headers).toMatchObject({ prefer: 'handling=strict' })
})

it.each(['https://user@pets.example', '/v1', undefined])(
  'an invalid baseUrl is named: %s',
  (baseUrl) => {
    expect(() => createPetStoreClient({ baseUrl: baseUrl as string })).toThrow(
      new TypeError('baseUrl must be an http or https address without user, query and fragment.'),
    )
  },
)

it('a relative baseUrl is relative to the address of the page', async () => {
  const fetch = vi.fn(async () => Response.json([]))
  vi.stubGlobal('location', { href: 'https://pets.example/shop/page?x=1' })
  try {
    await createPetStoreClient({ baseUrl: 'v1', fetch }).listPets()
    await createPetStoreClient({ baseUrl: '/v1/', fetch }).listPets()
  } finally {
    vi.unstubAllGlobals()
  }
  const urls = fetch.mock.calls.map(([url]: unknown[]) => url)
  expect(urls).toEqual(['https://pets.example/shop/v1/pets', 'https://pets.example/v1/pets'])
})

it('getPet rejects a string as an id, and sends nothing', async () => {
  const stub = await startStub(json(200, '{}'))
  const call = createPetStoreClient({ baseUrl: stub.baseUrl }).getPet('1' as unknown as bigint)
  const message = 'id must be a bigint or a safe integer, got the string "1".'
  await expect(call).rejects.toThrow(new RangeError(message))
  expect(stub.requests).toEqual([])
})
