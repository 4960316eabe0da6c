import { Matchers } from '@pact-foundation/pact'
import type { NewPet, PetStoreClient } from '@pet-store/client'
import {
  CONTRACT_API_KEY,
  PROVIDER_STATES,
  type ProviderState,
  UNKNOWN_API_KEY,
} from '../states/provider-states.ts'
import {
  COLOURED_REX,
  CURSOR,
  creating,
  DEPRECATED,
  fetchWith,
  getting,
  listing,
  REX,
  STRICT,
} from './client-requests.test-support.ts'
import {
  type Contract,
  clientHeaders,
  errorResponse,
  type InteractionRequest,
} from './contract.test-support.ts'

const { regex } = Matchers
const {
  pet,
  noSuchPet,
  creation,
  getPetRemoved,
  addOnlyKey,
  readOnlyKey,
  revokedKey,
  expiredKey,
  usedUpKey,
} = PROVIDER_STATES

/**
 * Adds the error responses of valid keys to the contract of the client, which client.pact.test.ts
 * writes.
 */
export function addClientErrors(contract: Contract): void {
  for (const [what, query] of [
    ['a limit of 0', { limit: 0 }],
    ['a limit of 101', { limit: 101 }],
    ['an unknown status', { status: 'gone' as 'sold' }],
    ['an invalid cursor', { cursor: 'nowhere' }],
    ['a cursor of another status', { status: 'sold', cursor: CURSOR }],
  ] as const) {
    contract.interaction(`a list with ${what}`, {
      request: listing(
        Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      ),
      response: errorResponse(
        400,
        'invalid_request',
        'limit must be an integer from 1 to 100, got "0"',
      ),
      call: (client) => client.listPets(query),
    })
  }

  for (const [what, input] of [
    ['with an empty name', { name: '', categoryId: 7 }],
    ['with a blank name', { name: ' \t', categoryId: 7 }],
    ['with a name of 1,001 characters', { name: 'x'.repeat(1_001), categoryId: 7 }],
    ['without a name', { categoryId: 7 } as NewPet],
    ['with an unknown status', { name: 'Rex', categoryId: 7, status: 'gone' as 'sold' }],
    ['with the status null', { name: 'Rex', categoryId: 7, status: null as unknown as undefined }],
  ] as const) {
    contract.interaction(`a new pet ${what}`, {
      request: creating('rejected', input),
      response: errorResponse(400, 'invalid_request', 'name must have a character'),
      call: (client) => client.createPet(input, { idempotencyKey: 'rejected' }),
    })
  }

  for (const [bytes, letters, response] of [
    // The greatest body gets as far as the rule for names.
    [
      '102,400',
      102_374,
      errorResponse(400, 'invalid_request', 'name must have at most 1000 characters'),
    ],
    [
      '102,401',
      102_375,
      errorResponse(413, 'payload_too_large', 'The body must have at most 102400 bytes.'),
    ],
  ] as const) {
    // The contract has one letter; a generator makes as many as the body needs besides
    // {"name":"","categoryId":7}.
    const generated = { 'pact:generator:type': 'Regex', regex: `x{${letters}}` }
    const name = { 'pact:matcher:type': 'type', ...generated, value: 'x' }
    contract.interaction(`a new pet with a body of ${bytes} bytes`, {
      request: creating('large', { name, categoryId: 7 }),
      response,
      call: (client) =>
        client.createPet({ name: 'x'.repeat(letters), categoryId: 7 }, { idempotencyKey: 'large' }),
    })
  }

  contract.interaction('another pet with a used idempotency key', {
    given: [[creation, { idempotencyKey: 'rex-once', ...REX }]],
    request: creating('rex-once', { ...REX, name: 'Not Rex' }),
    response: errorResponse(
      422,
      'idempotency_key_reused',
      'This key was used to create another pet.',
    ),
    call: (client) => client.createPet({ ...REX, name: 'Not Rex' }, { idempotencyKey: 'rex-once' }),
  })

  const latin1 = { 'Content-Type': 'application/json; charset=iso-8859-1' }
  contract.interaction('a new pet in Latin-1', {
    request: creating('latin', REX, latin1),
    response: errorResponse(
      415,
      'unsupported_media_type',
      'The body must be sent as application/json.',
    ),
    fetch: fetchWith(latin1),
    call: (client) => client.createPet({ ...REX }, { idempotencyKey: 'latin' }),
  })

  contract.interaction('one pet that does not exist', {
    given: [[noSuchPet, { id: 42 }]],
    request: getting('42'),
    response: errorResponse(404, 'not_found', 'There is no pet 42.', DEPRECATED),
    call: (client) => client.getPet(42),
  })

  const unknownWithStrict = (name: string) =>
    errorResponse(400, 'invalid_request', `unknown with handling=strict: "${name}"`, {
      'Preference-Applied': 'handling=strict',
    })
  contract.interaction('a list with handling=strict and an unknown parameter', {
    request: listing({ fields: 'name' }, { ...clientHeaders(), ...STRICT }),
    response: unknownWithStrict('fields'),
    fetch: fetchWith(STRICT, '?fields=name'),
    call: (client) => client.listPets(),
  })
  contract.interaction('a new pet with handling=strict and an unknown field', {
    request: creating('rejected', COLOURED_REX, STRICT),
    response: unknownWithStrict('colour'),
    fetch: fetchWith(STRICT, '', COLOURED_REX),
    call: (client) => client.createPet({ ...REX }, { idempotencyKey: 'rejected' }),
  })

  contract.interaction('one pet with handling=strict and an unknown parameter', {
    given: [[pet, { id: 42, ...REX }]],
    request: getting('42', {
      headers: { ...clientHeaders(), ...STRICT },
      query: { fields: 'name' },
    }),
    response: errorResponse(400, 'invalid_request', 'unknown with handling=strict: "fields"', {
      ...DEPRECATED,
      'Preference-Applied': 'handling=strict',
    }),
    fetch: fetchWith(STRICT, '?fields=name'),
    call: (client) => client.getPet(42),
  })

  contract.interaction('one pet after the removal of the operation', {
    given: [[getPetRemoved]],
    request: getting('42'),
    response: errorResponse(410, 'gone', 'GET /pets/{petId} was removed.', DEPRECATED),
    call: (client) => client.getPet(42),
  })
}

/** Adds the error responses of an operation to API keys that it does not accept. */
export function addKeyErrors(
  contract: Contract,
  operation: string,
  request: InteractionRequest,
  call: (client: PetStoreClient) => Promise<unknown>,
): void {
  const { Authorization: _, ...anonymous } = request.headers as Record<string, string>
  const add = (
    what: string,
    response: ReturnType<typeof errorResponse>,
    apiKey: string | null,
    state?: ProviderState,
  ) =>
    contract.interaction(`${operation} with ${what}`, {
      given: state === undefined ? [] : [[state]],
      request: {
        ...request,
        headers: apiKey === null ? anonymous : { ...anonymous, ...clientHeaders(apiKey) },
      },
      response,
      apiKey,
      call,
    })
  const [, resource] = request.path.split('/')
  const [scope, otherScope] =
    request.method === 'GET'
      ? ([`${resource}:read`, addOnlyKey] as const)
      : ([`${resource}:write`, readOnlyKey] as const)
  const unauthorized = (message: string, error = '') =>
    errorResponse(401, 'unauthorized', message, {
      'WWW-Authenticate': `Bearer realm="pet-store"${error}`,
    })
  const invalid = unauthorized('The API key is not valid.', ', error="invalid_token"')
  const lacksScope = errorResponse(403, 'forbidden', `The API key lacks the scope ${scope}.`, {
    ...(operation === 'getPet' ? DEPRECATED : {}),
    'WWW-Authenticate': `Bearer realm="pet-store", error="insufficient_scope", scope="${scope}"`,
  })
  // In seconds: the window of the limit has 3,600.
  const retryAfter = { 'Retry-After': regex('^[1-9]\\d{0,3}$', '5') }
  add('no key', unauthorized('An API key is required.'), null)
  add('an unknown key', invalid, UNKNOWN_API_KEY)
  add('a revoked key', invalid, CONTRACT_API_KEY, revokedKey)
  add('an expired key', invalid, CONTRACT_API_KEY, expiredKey)
  add(`a key without ${scope}`, lacksScope, CONTRACT_API_KEY, otherScope)
  const limited = errorResponse(429, 'rate_limited', 'Try again in 5 s.', retryAfter)
  add('a key that used up its limit', limited, CONTRACT_API_KEY, usedUpKey)
}
