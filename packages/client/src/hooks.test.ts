import { expect, it, onTestFinished, vi } from 'vitest'
import { createPetStoreClient } from './create-pet-store-client.ts'
import type { DeprecationDetails, ResponseDetails, RetryDetails } from './hooks.ts'
import { useFastTimers } from './testing/fast-timers.test-support.ts'
import { API_KEY, startService } from './testing/start-service.test-support.ts'
import { error, json, rejectionOf, startStub } from './testing/start-stub.test-support.ts'

it('onResponse gets the headers of a response, such as Idempotency-Replayed', async () => {
  const { baseUrl } = await startService()
  const responses: ResponseDetails[] = []
  const client = createPetStoreClient({
    baseUrl,
    apiKey: API_KEY,
    onResponse: (response) => responses.push(response),
  })
  for (const _ of [1, 2])
    await client.createPet({ name: 'Rex', categoryId: 1 }, { idempotencyKey: 'rex' })
  expect(responses).toMatchObject([
    { method: 'POST', url: `${baseUrl}/pets`, status: 201 },
    { method: 'POST', url: `${baseUrl}/pets`, status: 201 },
  ])
  const replayed = responses.map(({ headers }) => headers.get('idempotency-replayed'))
  expect(replayed).toEqual([null, 'true'])
})

it('onRetry is called before each wait, and onResponse for each attempt', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => void vi.restoreAllMocks())
  useFastTimers()
  const stub = await startStub(error(503, 'service_unavailable'), json(200, '[]'))
  const retries: RetryDetails[] = []
  const statuses: number[] = []
  await createPetStoreClient({ baseUrl: stub.baseUrl, onRetry: () => {} }).listPets(
    {},
    {
      onRetry: (retry) => retries.push(retry),
      onResponse: ({ status }) => statuses.push(status),
    },
  )
  expect(retries).toMatchObject([
    { error: { code: 'service_unavailable' }, retry: 1, delayMs: 250 },
  ])
  expect(statuses).toEqual([503, 200])
})

it('onDeprecation is called for getPet, with its dates, and for no other operation', async () => {
  const { baseUrl } = await startService()
  const deprecations: DeprecationDetails[] = []
  const client = createPetStoreClient({
    baseUrl,
    apiKey: API_KEY,
    onDeprecation: (deprecation) => deprecations.push(deprecation),
  })
  const { id } = await client.createPet({ name: 'Rex', categoryId: 1 })
  await client.listPets()
  expect(deprecations).toEqual([])
  await client.getPet(id)
  expect(deprecations).toMatchObject([{ method: 'GET', sunset: new Date('2030-12-05T23:59:59Z') }])
  expect(deprecations[0]?.since?.getTime()).toBeLessThan(Date.parse('2030-12-05'))
})

it.each([
  ['@soon', 'never'],
  ['', ''],
])('onDeprecation has no dates where a response says %j and %j', async (deprecation, sunset) => {
  const stub = await startStub(json(200, '[]', { Deprecation: deprecation, Sunset: sunset }))
  const onDeprecation = vi.fn()
  await createPetStoreClient({ baseUrl: stub.baseUrl, onDeprecation }).listPets()
  const [details] = onDeprecation.mock.calls[0] as [DeprecationDetails]
  expect(details.sunset).toBeUndefined()
  expect(details.since).toBeUndefined()
})

it('what a hook throws is uncaught, and the call goes on', async () => {
  const thrown: unknown[] = []
  vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => {
    try {
      task()
    } catch (failure) {
      thrown.push(failure)
    }
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const bug = new Error('A bug of the hook.')
  const stub = await startStub(json(200, '[]'))
  const onResponse = () => {
    throw bug
  }
  const client = createPetStoreClient({ baseUrl: stub.baseUrl, onResponse })
  expect(await client.listPets()).toEqual({ pets: [] })
  expect(thrown).toContain(bug)
})

it('onResponse is called before the error that the response leads to', async () => {
  const stub = await startStub(error(404, 'not_found', { 'X-Request-Id': 'abc' }))
  const onResponse = vi.fn()
  const client = createPetStoreClient({ baseUrl: stub.baseUrl, onResponse })
  expect(await rejectionOf(client.getPet(1))).toMatchObject({ code: 'not_found' })
  expect(onResponse).toHaveBeenCalledTimes(1)
})
