import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { createPetStoreClient } from './create-pet-store-client.ts'
import { API_KEY, startService } from './testing/start-service.test-support.ts'
import {
  breakMidway,
  error,
  html,
  json,
  neverRespond,
  rejectionOf,
  type Stub,
  startStub,
} from './testing/start-stub.test-support.ts'

const clientOf = ({ baseUrl }: Pick<Stub, 'baseUrl'>, timeoutMs?: number) =>
  createPetStoreClient({ baseUrl, apiKey: API_KEY, retries: 0, timeoutMs })

describe('an error response', () => {
  it.each(['forbidden', 'only_a_newer_service_has_it'])(
    'a call rejects with everything that an error response says: %s',
    async (code) => {
      const stub = await startStub(error(403, code, { 'X-Request-Id': 'abc' }))
      const failure = await rejectionOf(clientOf(stub).listPets())
      expect(failure).toMatchObject({ name: 'PetStoreError', code, status: 403, requestId: 'abc' })
      expect(failure.message).toBe(`It is ${code}.`)
    },
  )

  it.each([
    ['HTML of a proxy', 502, html(502, { 'X-Request-Id': 'abc' })],
    ['an empty body', 500, json(500, '', { 'X-Request-Id': 'abc' })],
    ['other JSON', 400, json(400, '{"error":"bad","code":5}', { 'X-Request-Id': 'abc' })],
    ['no object', 500, json(500, 'null', { 'X-Request-Id': 'abc' })],
    ['another successful status', 202, json(202, '{}', { 'X-Request-Id': 'abc' })],
    ['HTML with status 200', 200, html(200, { 'X-Request-Id': 'abc' })],
  ])('a call rejects with unexpected_response for %s', async (_what, status, respond) => {
    const stub = await startStub(respond)
    const failure = await rejectionOf(clientOf(stub).listPets())
    expect(failure).toMatchObject({ code: 'unexpected_response', status, requestId: 'abc' })
    expect(failure.message).toBe(
      `The response to GET ${stub.baseUrl}/pets (status ${status}) does not conform to the ` +
        'interface.',
    )
  })
})

describe('a connection', () => {
  it('a call rejects with connection_failed and the cause when nothing listens', async () => {
    const { baseUrl, stop } = await startService()
    await stop()
    const failure = await rejectionOf(clientOf({ baseUrl }).listPets())
    expect(failure).toMatchObject({
      code: 'connection_failed',
      status: undefined,
      requestId: undefined,
    })
    expect(failure.message).toBe(
      `The connection failed before the response to GET ${baseUrl}/pets was complete.`,
    )
    expect(failure.cause).toMatchObject({ name: 'TypeError', cause: { code: 'ECONNREFUSED' } })
  })

  it.each([
    ['within a response', breakMidway],
    ['before a response', (res: { destroy(): void }) => res.destroy()],
  ])(
    'a call rejects with connection_failed when its connection closes %s',
    async (_when, respond) => {
      const stub = await startStub(respond)
      const failure = await rejectionOf(clientOf(stub).listPets())
      expect(failure).toMatchObject({
        code: 'connection_failed',
        status: undefined,
        cause: { name: 'TypeError' },
      })
    },
  )
})

/** `fetch` functions that ignore their signal, before the response or within its body. */
const IGNORES_SIGNAL: readonly (readonly [what: string, fetch: typeof fetch])[] = [
  ['whose response never comes', () => new Promise<never>(() => {})],
  ['whose body never ends', async () => new Response(new ReadableStream())],
]

describe('timeoutMs', () => {
  it.each([
    ['without a response', neverRespond],
    ['with half a response', (res: { write(text: string): void }) => res.write('[{"id"')],
  ])('a call rejects with timeout %s', async (_what, respond) => {
    const stub = await startStub(respond)
    const failure = await rejectionOf(clientOf(stub, 100).listPets())
    expect(failure).toMatchObject({
      code: 'timeout',
      status: undefined,
      cause: { name: 'AbortError' },
    })
    expect(failure.message).toBe(`No complete response to GET ${stub.baseUrl}/pets within 100 ms.`)
  })

  it.each(IGNORES_SIGNAL)('a call rejects with timeout for a fetch %s', async (_what, fetch) => {
    const client = createPetStoreClient({
      baseUrl: 'https://pets.example/v1',
      retries: 0,
      timeoutMs: 20,
      fetch,
    })
    expect(await rejectionOf(client.listPets())).toMatchObject({
      code: 'timeout',
      status: undefined,
    })
  })
})

describe('signal', () => {
  const reason = { because: 'I changed my mind' }

  it('a call whose signal is already aborted sends nothing', async () => {
    const stub = await startStub(json(200, '[]'))
    await expect(clientOf(stub).listPets({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
    expect(stub.requests).toEqual([])
  })

  it.each(['listPets', 'allPets', 'createPet', 'getPet'] as const)(
    '%s rejects with the reason of a signal that is aborted during the response',
    async (operation) => {
      const caller = new AbortController()
      const stub = await startStub((res) => res.write('[', () => caller.abort(reason)))
      const client = createPetStoreClient({ baseUrl: stub.baseUrl })
      const options = { signal: caller.signal }
      const calls = {
        listPets: () => client.listPets({}, options),
        allPets: () => client.allPets({}, options).next(),
        createPet: () => client.createPet({ name: 'Rex', categoryId: 1 }, options),
        getPet: () => client.getPet(1, options),
      }
      await expect(calls[operation]()).rejects.toBe(reason)
      expect(stub.requests).toHaveLength(1)
    },
  )

  it.each(IGNORES_SIGNAL)(
    'a call rejects with the reason of an aborted signal for a fetch %s',
    async (_what, fetch) => {
      const caller = new AbortController()
      const client = createPetStoreClient({ baseUrl: 'https://pets.example/v1', fetch })
      const call = client.listPets({}, { signal: caller.signal })
      setTimeout(() => caller.abort(reason), 20)
      await expect(call).rejects.toBe(reason)
    },
  )

  it('a signal that is aborted between two attempts prevents the second', async () => {
    const caller = new AbortController()
    const stub = await startStub(error(503, 'service_unavailable', { 'Retry-After': '20' }))
    const client = createPetStoreClient({
      baseUrl: stub.baseUrl,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        setTimeout(() => caller.abort(reason), 50)
        return response
      },
    })
    await expect(client.listPets({}, { signal: caller.signal })).rejects.toBe(reason)
    expect(stub.requests).toHaveLength(1)
  })

  it('a signal has no listener left after the call', async () => {
    const { signal } = new AbortController()
    const stub = await startStub(
      error(503, 'service_unavailable', { 'Retry-After': '0' }),
      json(200, '[]'),
    )
    expect(await createPetStoreClient({ baseUrl: stub.baseUrl }).listPets({}, { signal })).toEqual({
      pets: [],
    })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('the API key', () => {
  it.each([301, 302, 307, 308])(
    'the API key is not sent after a redirect (%i) to another origin',
    async (status) => {
      const other = await startStub(json(200, '[]'))
      const stub = await startStub((res) =>
        res.writeHead(status, { Location: `${other.baseUrl}/pets` }).end(),
      )
      const failure = await rejectionOf(clientOf(stub).listPets())
      expect(failure).toMatchObject({ code: 'unexpected_response', status })
      expect(failure.message).toContain('redirect')
      expect(stub.requests[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`)
      expect(other.requests).toEqual([])
    },
  )

  it('the API key is not sent after a redirect in a browser, which hides its status', async () => {
    const hidden = {
      type: 'opaqueredirect',
      status: 0,
      headers: new Headers(),
      text: async () => '',
    } as Response
    const fetch = vi.fn(async () => hidden)
    const client = createPetStoreClient({
      baseUrl: 'https://pets.example/v1',
      apiKey: API_KEY,
      fetch,
    })
    const failure = await rejectionOf(client.listPets())
    expect(failure).toMatchObject({ code: 'unexpected_response', status: undefined })
    expect(failure.message).toContain('redirect')
    expect(fetch.mock.calls).toMatchObject([[expect.anything(), { redirect: 'manual' }]])
  })

  const echo = { code: API_KEY, message: `I got "Bearer ${API_KEY}".`, status: 400 }
  it.each<[string, typeof fetch]>([
    [
      'an error body',
      async () => Response.json(echo, { status: 400, headers: { 'X-Request-Id': API_KEY } }),
    ],
    ['a body that is not JSON', async () => new Response(API_KEY)],
    [
      'an error of fetch',
      async (_input, init) => {
        const cause = Object.assign(new Error(`No route for ${API_KEY}`), {
          code: API_KEY,
          request: init,
        })
        throw Object.assign(new TypeError(`Cannot send ${API_KEY}`, { cause }), {
          headers: init?.headers,
        })
      },
    ],
    [
      'a rejection that is not an Error',
      async (_input, init) => Promise.reject(`sent ${JSON.stringify([API_KEY, init])}` as unknown),
    ],
  ])('the API key is in no field of an error where %s repeats it', async (_what, fetch) => {
    const client = createPetStoreClient({
      baseUrl: 'https://pets.example/v1',
      apiKey: API_KEY,
      retries: 0,
      fetch,
    })
    const failure = await rejectionOf(client.listPets())
    expect(inspect(failure, { depth: Infinity, showHidden: true })).not.toContain(API_KEY)
  })
})
