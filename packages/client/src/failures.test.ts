import { describe, expect, it } from 'vitest'
import { createPetStoreClient } from './create-pet-store-client.ts'
import { rejectionOf } from './rejection.test-support.ts'
import { API_KEY, startService } from './start-service.test-support.ts'
import { breakInTheMiddle, error, html, json, type Stub, startStub, staySilent } from './start-stub.test-support.ts'

const clientOf = ({ baseUrl }: Pick<Stub, 'baseUrl'>, timeout?: number) =>
  createPetStoreClient({ baseUrl, apiKey: API_KEY, retries: 0, timeout })

describe('an error answer', () => {
  it('of the service is told as it is', async () => {
    const stub = await startStub(error(403, 'forbidden', { 'X-Request-Id': 'abc' }))
    const refused = await rejectionOf(clientOf(stub).listPets())
    expect(refused).toMatchObject({ name: 'PetStoreError', code: 'forbidden', status: 403, requestId: 'abc' })
    expect(refused.message).toBe('It is forbidden.')
  })

  it('of a newer service keeps its code', async () => {
    const stub = await startStub(error(451, 'not_in_your_country'))
    expect(await rejectionOf(clientOf(stub).listPets())).toMatchObject({ code: 'not_in_your_country', status: 451 })
  })

  it.each([
    ['HTML of a proxy', 502, html(502, { 'X-Request-Id': 'abc' })],
    ['nothing', 500, json(500, '', { 'X-Request-Id': 'abc' })],
    ['JSON of another kind', 400, json(400, '{"error":"bad","code":5}', { 'X-Request-Id': 'abc' })],
    ['no object', 500, json(500, 'null', { 'X-Request-Id': 'abc' })],
    ['a good status of something else', 202, json(202, '{}', { 'X-Request-Id': 'abc' })],
    ['a page with a good status', 200, html(200, { 'X-Request-Id': 'abc' })],
  ])('that is %s has a code of its own', async (_what, status, answer) => {
    const stub = await startStub(answer)
    const refused = await rejectionOf(clientOf(stub).listPets())
    expect(refused).toMatchObject({ code: 'unexpected_answer', status, requestId: 'abc' })
    expect(refused.message).toBe(
      `The answer to GET ${stub.baseUrl}/pets (status ${status}) is not as the interface says.`,
    )
  })
})

describe('a connection', () => {
  it('that nobody takes up is connection_failed, with the cause', async () => {
    const { baseUrl, stop } = await startService()
    await stop()
    const refused = await rejectionOf(clientOf({ baseUrl }).listPets())
    expect(refused).toMatchObject({ code: 'connection_failed', status: undefined, requestId: undefined })
    expect(refused.message).toBe(`The connection failed before the answer to GET ${baseUrl}/pets was complete.`)
    expect(refused.cause).toMatchObject({ name: 'TypeError', cause: { code: 'ECONNREFUSED' } })
  })

  it.each([
    ['in the middle of an answer', breakInTheMiddle],
    ['before an answer', (res: { destroy(): void }) => res.destroy()],
  ])('that breaks %s is connection_failed', async (_when, answer) => {
    const stub = await startStub(answer)
    const refused = await rejectionOf(clientOf(stub).listPets())
    expect(refused).toMatchObject({ code: 'connection_failed', status: undefined, cause: expect.any(TypeError) })
  })
})

describe('a time-out', () => {
  it.each([
    ['no answer', staySilent],
    ['half an answer', (res: { write(text: string): void }) => res.write('[{"id"')],
  ])('ends the wait for %s', async (_what, answer) => {
    const stub = await startStub(answer)
    const late = await rejectionOf(clientOf(stub, 100).listPets())
    expect(late).toMatchObject({ code: 'timeout', status: undefined })
    expect(late.message).toBe(`No whole answer to GET ${stub.baseUrl}/pets within 100 ms.`)
    expect(late.cause).toMatchObject({ name: 'AbortError' })
  })
})

describe('a call that is given up', () => {
  const reason = { because: 'I changed my mind' }

  it('before it begins is not sent', async () => {
    const stub = await startStub(json(200, '[]'))
    await expect(clientOf(stub).listPets({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(stub.requests).toEqual([])
  })

  it.each(['listPets', 'allPets', 'createPet', 'getPet'] as const)(
    'rejects with the reason of the signal: %s',
    async (operation) => {
      const caller = new AbortController()
      const stub = await startStub(() => caller.abort(reason))
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

  it('in the middle of an answer rejects with the reason as well', async () => {
    const caller = new AbortController()
    const stub = await startStub((res) => res.write('[', () => caller.abort(reason)))
    await expect(clientOf(stub).listPets({}, { signal: caller.signal })).rejects.toBe(reason)
  })

  it('between two attempts makes no further one', async () => {
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

  it('leaves nothing on the signal', async () => {
    const caller = new AbortController()
    const listeners = new Set<unknown>()
    const { signal } = caller
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = (type: string, listener: () => void) => {
      listeners.add(listener)
      add(type, listener)
    }
    signal.removeEventListener = (type: string, listener: () => void) => {
      listeners.delete(listener)
      remove(type, listener)
    }
    const stub = await startStub(error(503, 'service_unavailable', { 'Retry-After': '0' }), json(200, '[]'))
    expect(await createPetStoreClient({ baseUrl: stub.baseUrl }).listPets({}, { signal })).toEqual({ pets: [] })
    expect(listeners.size).toBe(0)
  })
})

describe('the API key', () => {
  it.each([301, 302, 307, 308])('does not follow a redirect (%i) to another origin', async (status) => {
    const other = await startStub(json(200, '[]'))
    const stub = await startStub((res) => res.writeHead(status, { Location: `${other.baseUrl}/pets` }).end())
    const refused = await rejectionOf(clientOf(stub).listPets())
    expect(refused).toMatchObject({ code: 'unexpected_answer', status })
    expect(refused.message).toContain('redirect')
    expect(stub.requests[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`)
    expect(other.requests).toEqual([])
  })

  it('is taken out of a message that repeats it', async () => {
    const body = JSON.stringify({ code: 'bad', message: `I got "Bearer ${API_KEY}".`, status: 400 })
    const refused = await rejectionOf(clientOf(await startStub(json(400, body))).listPets())
    expect(refused.message).toBe('I got "Bearer <API key>".')
  })

  it.each(['', ' ', 'a key', 'a\nkey', 'schlüssel'])('cannot be %j', (apiKey) => {
    const create = () => createPetStoreClient({ baseUrl: 'https://pets.example/v1', apiKey })
    expect(create).toThrow(new TypeError('apiKey must be one or more visible ASCII characters.'))
  })
})

describe('other options that cannot work', () => {
  const baseUrl = 'https://pets.example/v1'

  it.each(['', '/v1', 'pets.example/v1', 'localhost:3000/v1', 'ftp://pets.example/v1'])('the base %j', (address) => {
    expect(() => createPetStoreClient({ baseUrl: address })).toThrow(TypeError)
  })

  it.each(['https://me:secret@pets.example/v1', `${baseUrl}?a=b`, `${baseUrl}#a`])('the base %j', (address) => {
    expect(() => createPetStoreClient({ baseUrl: address })).toThrow(/without user, query and fragment/)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])('a timeout of %d', (timeout) => {
    expect(() => createPetStoreClient({ baseUrl, timeout })).toThrow(/^timeout must /)
  })

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('%d retries', (retries) => {
    expect(() => createPetStoreClient({ baseUrl, retries })).toThrow(/^retries must /)
  })
})
