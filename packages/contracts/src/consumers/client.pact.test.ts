import { Matchers } from '@pact-foundation/pact'
import type { NewPet } from '@pet-store/client'
import { describe, expect, it } from 'vitest'
import { CONTRACT_API_KEY, UNKNOWN_API_KEY } from '../contract-api-keys.ts'
import { PROVIDER_STATES } from '../provider-states.ts'
import { asKnown, beginContract, clientOf, ERROR_HEADERS, errorBody, rejectionOf } from './contract.test-support.ts'

const { eachKeyMatches, integer, regex } = Matchers
const contract = beginContract('pet-store-client')

const REX = { name: 'Rex', categoryId: 7, status: 'available' } as const
const JSON_BODY = { 'Content-Type': 'application/json' }
const LATIN = { 'Content-Type': 'application/json; charset=iso-8859-1' }
const DEPRECATED = {
  Deprecation: regex('^@\\d+$', '@1795219200'),
  Sunset: 'Thu, 05 Dec 2030 23:59:59 GMT',
  Link: regex('^<.+>; ?rel="deprecation".*$', '<../../docs>; rel="deprecation"; type="text/html"'),
}
const MISSING_KEY = { 'WWW-Authenticate': 'Bearer realm="pet-store"' }
const BAD_KEY = { 'WWW-Authenticate': 'Bearer realm="pet-store", error="invalid_token"' }
const lacksScope = (scope: string) => ({
  'WWW-Authenticate': `Bearer realm="pet-store", error="insufficient_scope", scope="${scope}"`,
})
/** Opaque; this one leads behind the first pet of a list without a filter. */
const CURSOR = 'AQAAAAAAAAAAAXtPM94'
const RETRY_AFTER = { 'Retry-After': regex('^[1-9]\\d*$', '5') }

/** A pet of these values, under whatever id. */
const petOf = (pet: object) => ({ id: integer(1), ...pet })

/** A pet that may have further fields, as ever in Pact, but no `status`. Its patterns know no negation. */
const withoutStatus = (pet: object) => eachKeyMatches({ ...pet }, regex('^(?:[^s].*|.{0,5}|.{7,})$', 'id'))

/** A `fetch` that a consumer gives the client: it says more in the headers and the address than the client does. */
function fetchWith(more: Readonly<Record<string, string>>, query = ''): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers)
    for (const [name, value] of Object.entries(more)) headers.set(name, value)
    return fetch((input as string) + query, { ...init, headers })
  }
}

describe('listPets', () => {
  it('gets pets, with and without a status', async () => {
    await contract
      .interaction()
      .given(PROVIDER_STATES.pet, { id: 1, ...REX })
      .given(PROVIDER_STATES.pet, { id: 2, name: 'Tom', categoryId: 8 })
      .uponReceiving('a list of two pets, one of them without a status')
      .withRequest('GET', '/pets', (request) => request.headers(asKnown()))
      .willRespondWith(200, (response) =>
        response.headers(JSON_BODY).jsonBody([{ id: 1, ...REX }, withoutStatus({ id: 2, name: 'Tom', categoryId: 8 })]),
      )
      .executeTest(async (service) => {
        const { pets, next } = await clientOf(service).listPets()
        expect(pets).toEqual([
          { id: 1n, ...REX, categoryId: 7n },
          { id: 2n, name: 'Tom', categoryId: 8n },
        ])
        expect(next).toBeUndefined()
      })
  })

  it('gets an empty list', async () => {
    await contract
      .interaction()
      .given(PROVIDER_STATES.noPets)
      .uponReceiving('a list of no pets')
      .withRequest('GET', '/pets', (request) => request.headers(asKnown()))
      .willRespondWith(200, (response) => response.headers(JSON_BODY).jsonBody([]))
      .executeTest(async (service) => expect(await clientOf(service).listPets()).toEqual({ pets: [] }))
  })

  it('gets only pets of a status', async () => {
    await contract
      .interaction()
      .given(PROVIDER_STATES.pet, { id: 1, name: 'Tom', categoryId: 8 })
      .given(PROVIDER_STATES.pet, { id: 2, name: 'Ada', categoryId: 8, status: 'sold' })
      .given(PROVIDER_STATES.pet, { id: 3, ...REX })
      .uponReceiving('a list of the available pets')
      .withRequest('GET', '/pets', (request) => request.headers(asKnown()).query({ status: 'available' }))
      .willRespondWith(200, (response) => response.headers(JSON_BODY).jsonBody([{ id: 3, ...REX }]))
      .executeTest(async (service) => {
        const { pets } = await clientOf(service).listPets({ status: 'available' })
        expect(pets.map(({ id }) => id)).toEqual([3n])
      })
  })

  it('gets twenty pets where it names no limit, and the way to the others', async () => {
    const rex = { id: integer(1), name: 'Rex', categoryId: 1 }
    await contract
      .interaction()
      .given(PROVIDER_STATES.pets, { count: 21 })
      .uponReceiving('a list without a limit, of more pets than fit on a page')
      .withRequest('GET', '/pets', (request) => request.headers(asKnown()))
      .willRespondWith(200, (response) =>
        response
          .headers({
            ...JSON_BODY,
            Link: regex('^<[^>]*\\?limit=20&cursor=[\\w-]+>; ?rel="next"$', `<?limit=20&cursor=${CURSOR}>; rel="next"`),
          })
          .jsonBody(Array.from({ length: 20 }, () => rex)),
      )
      .executeTest(async (service) => {
        const { pets, next } = await clientOf(service).listPets()
        expect(pets).toHaveLength(20)
        expect(next).toEqual({ limit: 20, cursor: CURSOR })
      })
  })

  it.each([
    ['a limit of 0', { limit: 0 }],
    ['a limit of 101', { limit: 101 }],
    ['a status that there is not', { status: 'gone' as 'sold' }],
    ['a cursor that is none', { cursor: 'nowhere' }],
    ['a cursor that belongs to another status', { status: 'sold', cursor: CURSOR }],
  ] as const)('is told of %s', async (what, query) => {
    const sent = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
    await contract
      .interaction()
      .uponReceiving(`a list with ${what}`)
      .withRequest('GET', '/pets', (request) => request.headers(asKnown()).query(sent))
      .willRespondWith(400, (response) =>
        response
          .headers(ERROR_HEADERS)
          .jsonBody(errorBody('invalid_request', 400, 'limit must be an integer from 1 to 100, got "0"')),
      )
      .executeTest(async (service) => {
        const error = await rejectionOf(clientOf(service).listPets(query))
        expect(error).toMatchObject({ code: 'invalid_request', status: 400 })
      })
  })
})

describe('createPet', () => {
  const asWriter = (key: string) => ({ ...asKnown(), ...JSON_BODY, 'Idempotency-Key': key })

  it('adds a pet', async () => {
    await contract
      .interaction()
      .uponReceiving('a new pet')
      .withRequest('POST', '/pets', (request) => request.headers(asWriter('add-rex')).jsonBody(REX))
      .willRespondWith(201, (response) =>
        response.headers({ ...JSON_BODY, Location: regex('^.*pets/\\d+$', 'pets/1') }).jsonBody(petOf(REX)),
      )
      .executeTest(async (service) => {
        const pet = await clientOf(service).createPet({ ...REX }, { idempotencyKey: 'add-rex' })
        expect(pet).toEqual({ id: 1n, ...REX, categoryId: 7n })
      })
  })

  it('adds a pet without a status, and gets it back without one', async () => {
    const tom = { name: 'Tom', categoryId: 8 }
    await contract
      .interaction()
      .uponReceiving('a new pet without a status')
      .withRequest('POST', '/pets', (request) => request.headers(asWriter('add-tom')).jsonBody(tom))
      .willRespondWith(201, (response) => response.headers(JSON_BODY).jsonBody(withoutStatus(petOf(tom))))
      .executeTest(async (service) => {
        const pet = await clientOf(service).createPet(tom, { idempotencyKey: 'add-tom' })
        expect(pet).toEqual({ id: 1n, name: 'Tom', categoryId: 8n })
      })
  })

  it('gets the pet of the first attempt when it repeats itself', async () => {
    await contract
      .interaction()
      .given(PROVIDER_STATES.pets, { count: 4 })
      .given(PROVIDER_STATES.creation, { idempotencyKey: 'rex-once', ...REX })
      .given(PROVIDER_STATES.noSuchPet, { id: 6 })
      .uponReceiving('a new pet that was added already under the same idempotency key')
      .withRequest('POST', '/pets', (request) => request.headers(asWriter('rex-once')).jsonBody(REX))
      .willRespondWith(201, (response) => response.headers(JSON_BODY).jsonBody({ id: 5, ...REX }))
      .executeTest(async (service) => {
        const pet = await clientOf(service).createPet({ ...REX }, { idempotencyKey: 'rex-once' })
        expect(pet.id).toBe(5n)
      })
  })

  it('is told of an idempotency key that stands for another pet', async () => {
    await contract
      .interaction()
      .given(PROVIDER_STATES.creation, { idempotencyKey: 'rex-once', ...REX })
      .uponReceiving('another pet under a used idempotency key')
      .withRequest('POST', '/pets', (request) =>
        request.headers(asWriter('rex-once')).jsonBody({ ...REX, name: 'Not Rex' }),
      )
      .willRespondWith(422, (response) =>
        response
          .headers(ERROR_HEADERS)
          .jsonBody(errorBody('idempotency_key_reused', 422, 'This key was used to create another pet.')),
      )
      .executeTest(async (service) => {
        const call = clientOf(service).createPet({ ...REX, name: 'Not Rex' }, { idempotencyKey: 'rex-once' })
        expect(await rejectionOf(call)).toMatchObject({ code: 'idempotency_key_reused', status: 422 })
      })
  })

  it('gets a name back letter for letter, and a category of any sign', async () => {
    const zoe = { name: ' Zo\u00eb\u0308 \u{1F43E}\t', categoryId: -7, status: 'pending' } as const
    await contract
      .interaction()
      .uponReceiving('a new pet of an unusual name')
      .withRequest('POST', '/pets', (request) => request.headers(asWriter('add-zoe')).jsonBody(zoe))
      .willRespondWith(201, (response) => response.headers(JSON_BODY).jsonBody(petOf(zoe)))
      .executeTest(async (service) => {
        const pet = await clientOf(service).createPet(zoe, { idempotencyKey: 'add-zoe' })
        expect(pet).toEqual({ id: 1n, ...zoe, categoryId: -7n })
      })
  })

  it.each([
    ['without a name', { name: '', categoryId: 7 }],
    ['whose name was forgotten', { categoryId: 7 } as NewPet],
    ['of a status that there is not', { name: 'Rex', categoryId: 7, status: 'gone' as 'sold' }],
  ] as const)('is told of a pet %s', async (what, pet) => {
    await contract
      .interaction()
      .uponReceiving(`a new pet ${what}`)
      .withRequest('POST', '/pets', (request) => request.headers(asWriter('refused')).jsonBody(pet))
      .willRespondWith(400, (response) =>
        response.headers(ERROR_HEADERS).jsonBody(errorBody('invalid_request', 400, 'name must have a character')),
      )
      .executeTest(async (service) => {
        const call = clientOf(service).createPet(pet, { idempotencyKey: 'refused' })
        expect(await rejectionOf(call)).toMatchObject({ code: 'invalid_request', status: 400 })
      })
  })

  it('is told of a body that is too large', async () => {
    // The contract has one letter, and the verification fills in as many as it takes.
    const endless = { 'pact:matcher:type': 'type', 'pact:generator:type': 'Regex', regex: 'x{102400}', value: 'x' }
    await contract
      .interaction()
      .uponReceiving('a new pet of a name without end')
      .withRequest('POST', '/pets', (request) =>
        request.headers(asWriter('too-large')).jsonBody({ name: endless, categoryId: 7 }),
      )
      .willRespondWith(413, (response) =>
        response
          .headers(ERROR_HEADERS)
          .jsonBody(errorBody('payload_too_large', 413, 'The body must have at most 102400 bytes.')),
      )
      .executeTest(async (service) => {
        const pet = { name: 'x'.repeat(102_400), categoryId: 7 }
        const call = clientOf(service).createPet(pet, { idempotencyKey: 'too-large' })
        expect(await rejectionOf(call)).toMatchObject({ code: 'payload_too_large', status: 413 })
      })
  })

  it('is told where its own fetch declares an encoding that the service does not read', async () => {
    await contract
      .interaction()
      .uponReceiving('a new pet in Latin-1')
      .withRequest('POST', '/pets', (request) => request.headers({ ...asWriter('latin'), ...LATIN }).jsonBody(REX))
      .willRespondWith(415, (response) =>
        response
          .headers(ERROR_HEADERS)
          .jsonBody(
            errorBody('unsupported_media_type', 415, 'The body must be sent as Content-Type: application/json.'),
          ),
      )
      .executeTest(async (service) => {
        const call = clientOf(service, CONTRACT_API_KEY, fetchWith(LATIN)).createPet(
          { ...REX },
          { idempotencyKey: 'latin' },
        )
        expect(await rejectionOf(call)).toMatchObject({ code: 'unsupported_media_type', status: 415 })
      })
  })
})

describe('getPet', () => {
  it('gets a pet, and when that ends', async () => {
    await contract
      .interaction()
      .given(PROVIDER_STATES.pet, { id: 42, ...REX })
      .uponReceiving('one pet')
      .withRequest('GET', '/pets/42', (request) => request.headers(asKnown()))
      .willRespondWith(200, (response) =>
        response.headers({ ...JSON_BODY, ...DEPRECATED }).jsonBody({ id: 42, ...REX }),
      )
      .executeTest(async (service) => {
        expect(await clientOf(service).getPet(42)).toEqual({ id: 42n, ...REX, categoryId: 7n })
      })
  })

  it('is told of an id that no pet has', async () => {
    await contract
      .interaction()
      .given(PROVIDER_STATES.noSuchPet, { id: 42 })
      .uponReceiving('one pet that does not exist')
      .withRequest('GET', '/pets/42', (request) => request.headers(asKnown()))
      .willRespondWith(404, (response) =>
        response
          .headers({ ...ERROR_HEADERS, ...DEPRECATED })
          .jsonBody(errorBody('not_found', 404, 'There is no pet 42.')),
      )
      .executeTest(async (service) => {
        expect(await rejectionOf(clientOf(service).getPet(42))).toMatchObject({ code: 'not_found', status: 404 })
      })
  })

  it('is told, where it is strict, of a parameter that there is not', async () => {
    await contract
      .interaction()
      .given(PROVIDER_STATES.pet, { id: 42, ...REX })
      .uponReceiving('one pet, strictly, with a parameter that there is not')
      .withRequest('GET', '/pets/42', (request) =>
        request.headers({ ...asKnown(), Prefer: 'handling=strict' }).query({ fields: 'name' }),
      )
      .willRespondWith(400, (response) =>
        response
          .headers({ ...ERROR_HEADERS, ...DEPRECATED, 'Preference-Applied': 'handling=strict' })
          .jsonBody(errorBody('invalid_request', 400, 'unknown with handling=strict: "fields"')),
      )
      .executeTest(async (service) => {
        const strictly = fetchWith({ Prefer: 'handling=strict' }, '?fields=name')
        const error = await rejectionOf(clientOf(service, CONTRACT_API_KEY, strictly).getPet(42))
        expect(error).toMatchObject({ code: 'invalid_request', status: 400 })
      })
  })

  it('is told that it was removed', async () => {
    await contract
      .interaction()
      .given(PROVIDER_STATES.getPetRemoved)
      .uponReceiving('one pet after the removal of the operation')
      .withRequest('GET', '/pets/42', (request) => request.headers(asKnown()))
      .willRespondWith(410, (response) =>
        response
          .headers({ ...ERROR_HEADERS, ...DEPRECATED })
          .jsonBody(errorBody('gone', 410, 'GET /pets/{petId} was removed.')),
      )
      .executeTest(async (service) => {
        expect(await rejectionOf(clientOf(service).getPet(42))).toMatchObject({ code: 'gone', status: 410 })
      })
  })
})

const OPERATIONS = [
  {
    operation: 'listPets',
    method: 'GET',
    path: '/pets',
    scope: 'pets:read',
    scopeState: PROVIDER_STATES.addOnlyKey,
    call: (client: ReturnType<typeof clientOf>): Promise<unknown> => client.listPets(),
  },
  {
    operation: 'createPet',
    method: 'POST',
    path: '/pets',
    scope: 'pets:write',
    scopeState: PROVIDER_STATES.readOnlyKey,
    call: (client: ReturnType<typeof clientOf>): Promise<unknown> =>
      client.createPet({ ...REX }, { idempotencyKey: 'refused' }),
  },
  {
    operation: 'getPet',
    method: 'GET',
    path: '/pets/1',
    scope: 'pets:read',
    scopeState: PROVIDER_STATES.addOnlyKey,
    call: (client: ReturnType<typeof clientOf>): Promise<unknown> => client.getPet(1),
  },
] as const

describe.each(OPERATIONS)('$operation', ({ operation, method, path, scope, scopeState, call }) => {
  /** The refusals of a key: what it is, the state that makes it so, and the answer. */
  const refusals = [
    {
      key: 'no key',
      apiKey: null,
      status: 401,
      code: 'unauthorized',
      headers: MISSING_KEY,
      message: 'An API key is required: Authorization: Bearer <API_KEY>',
    },
    {
      key: 'an unknown key',
      apiKey: UNKNOWN_API_KEY,
      status: 401,
      code: 'unauthorized',
      headers: BAD_KEY,
      message: 'The API key is not valid.',
    },
    {
      key: 'a revoked key',
      state: PROVIDER_STATES.revokedKey,
      status: 401,
      code: 'unauthorized',
      headers: BAD_KEY,
      message: 'The API key is not valid.',
    },
    {
      key: 'an expired key',
      state: PROVIDER_STATES.expiredKey,
      status: 401,
      code: 'unauthorized',
      headers: BAD_KEY,
      message: 'The API key is not valid.',
    },
    {
      key: `a key without ${scope}`,
      state: scopeState,
      status: 403,
      code: 'forbidden',
      headers: { ...lacksScope(scope), ...(operation === 'getPet' && DEPRECATED) },
      message: `The API key may not do this: it lacks the scope ${scope}.`,
    },
    {
      key: 'a key that used up its limit',
      state: PROVIDER_STATES.usedUpKey,
      status: 429,
      code: 'rate_limited',
      headers: RETRY_AFTER,
      message: 'Try again in 5 s.',
    },
  ]

  it.each(refusals)(
    'is refused with $key',
    async ({ key, apiKey = CONTRACT_API_KEY, state, status, code, headers, message }) => {
      const begun = contract.interaction()
      const { Authorization: _, ...asNobody } = asKnown()
      await (state === undefined ? begun : begun.given(state))
        .uponReceiving(`${operation} with ${key}`)
        .withRequest(method, path, (request) => {
          request.headers(apiKey === null ? asNobody : asKnown(apiKey))
          if (method === 'POST') request.headers({ ...JSON_BODY, 'Idempotency-Key': 'refused' }).jsonBody(REX)
        })
        .willRespondWith(status, (response) =>
          response.headers({ ...ERROR_HEADERS, ...headers }).jsonBody(errorBody(code, status, message)),
        )
        .executeTest(async (service) => {
          const error = await rejectionOf(call(clientOf(service, apiKey)))
          expect(error).toMatchObject({ code, status })
          expect(error.retryAfterMs).toBe(status === 429 ? 5_000 : undefined)
        })
    },
  )
})

it('is the committed contract of the client', () => contract.expectCommitted())
