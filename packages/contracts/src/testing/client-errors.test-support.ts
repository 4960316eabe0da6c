import { Matchers } from '@pact-foundation/pact'
import type { NewPet } from '@pet-store/client'
import { describe, expect, it } from 'vitest'
import { CONTRACT_API_KEY, PROVIDER_STATES, UNKNOWN_API_KEY } from '../states/provider-states.ts'
import {
  CURSOR,
  creating,
  DEPRECATED,
  fetchWith,
  getting,
  listing,
  REX,
  STRICT,
} from './client-requests.test-support.ts'
import { asKnown, type Contract, clientOf, errorResponse, rejectionOf } from './contract.test-support.ts'

const { regex } = Matchers
const { pet, noSuchPet, creation, getPetRemoved } = PROVIDER_STATES

/** The error responses in the contract of the client. They are part of client.pact.test.ts, which writes one pact file. */
export function describeClientErrors(contract: Contract): void {
  describe('listPets', () => {
    it.each([
      ['a limit of 0', { limit: 0 }],
      ['a limit of 101', { limit: 101 }],
      ['an unknown status', { status: 'gone' as 'sold' }],
      ['an invalid cursor', { cursor: 'nowhere' }],
      ['a cursor of another status', { status: 'sold', cursor: CURSOR }],
    ] as const)('rejects %s', async (what, query) => {
      const sent = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
      const response = errorResponse(400, 'invalid_request', 'limit must be an integer from 1 to 100, got "0"')
      await contract.interaction(`a list with ${what}`, { request: listing(sent), response }, async (service) => {
        const error = await rejectionOf(clientOf(service).listPets(query))
        expect(error).toMatchObject({ code: 'invalid_request', status: 400 })
      })
    })
  })

  describe('createPet', () => {
    it('rejects an idempotency key that was used for another pet', () =>
      contract.interaction(
        'another pet with a used idempotency key',
        {
          given: [[creation, { idempotencyKey: 'rex-once', ...REX }]],
          request: creating('rex-once', { ...REX, name: 'Not Rex' }),
          response: errorResponse(422, 'idempotency_key_reused', 'This key was used to create another pet.'),
        },
        async (service) => {
          const call = clientOf(service).createPet({ ...REX, name: 'Not Rex' }, { idempotencyKey: 'rex-once' })
          expect(await rejectionOf(call)).toMatchObject({ code: 'idempotency_key_reused', status: 422 })
        },
      ))

    it.each([
      ['with an empty name', { name: '', categoryId: 7 }],
      ['with a blank name', { name: ' \t', categoryId: 7 }],
      ['with a name of 1,001 characters', { name: 'x'.repeat(1_001), categoryId: 7 }],
      ['without a name', { categoryId: 7 } as NewPet],
      ['with an unknown status', { name: 'Rex', categoryId: 7, status: 'gone' as 'sold' }],
      ['with the status null', { name: 'Rex', categoryId: 7, status: null as unknown as undefined }],
    ] as const)('rejects a pet %s', async (what, input) => {
      const response = errorResponse(400, 'invalid_request', 'name must have a character')
      await contract.interaction(
        `a new pet ${what}`,
        { request: creating('rejected', input), response },
        async (service) => {
          const call = clientOf(service).createPet(input, { idempotencyKey: 'rejected' })
          expect(await rejectionOf(call)).toMatchObject({ code: 'invalid_request', status: 400 })
        },
      )
    })

    it.each([
      // The greatest body gets as far as the rule for names.
      ['102,400', 102_374, 400, 'invalid_request', 'name must have at most 1000 characters'],
      ['102,401', 102_375, 413, 'payload_too_large', 'The body must have at most 102400 bytes.'],
    ] as const)('rejects a body of %s bytes', (bytes, letters, status, code, message) => {
      // The contract has one letter; a generator makes as many as the body needs besides {"name":"","categoryId":7}.
      const regex = `x{${letters}}`
      const name = { 'pact:matcher:type': 'type', 'pact:generator:type': 'Regex', regex, value: 'x' }
      return contract.interaction(
        `a new pet with a body of ${bytes} bytes`,
        { request: creating('large', { name, categoryId: 7 }), response: errorResponse(status, code, message) },
        async (service) => {
          const input = { name: 'x'.repeat(letters), categoryId: 7 }
          const call = clientOf(service).createPet(input, { idempotencyKey: 'large' })
          expect(await rejectionOf(call)).toMatchObject({ code, status })
        },
      )
    })

    it('rejects a charset other than UTF-8', async () => {
      const latin1 = { 'Content-Type': 'application/json; charset=iso-8859-1' }
      const response = errorResponse(415, 'unsupported_media_type', 'The body must be sent as application/json.')
      await contract.interaction(
        'a new pet in Latin-1',
        { request: creating('latin', REX, latin1), response },
        async (service) => {
          const client = clientOf(service, CONTRACT_API_KEY, fetchWith(latin1))
          const error = await rejectionOf(client.createPet({ ...REX }, { idempotencyKey: 'latin' }))
          expect(error).toMatchObject({ code: 'unsupported_media_type', status: 415 })
        },
      )
    })
  })

  describe('getPet', () => {
    it('rejects an unknown id', () =>
      contract.interaction(
        'one pet that does not exist',
        {
          given: [[noSuchPet, { id: 42 }]],
          request: getting('42'),
          response: errorResponse(404, 'not_found', 'There is no pet 42.', DEPRECATED),
        },
        async (service) => {
          expect(await rejectionOf(clientOf(service).getPet(42))).toMatchObject({ code: 'not_found', status: 404 })
        },
      ))

    it('rejects an unknown parameter with handling=strict', () =>
      contract.interaction(
        'one pet with handling=strict and an unknown parameter',
        {
          given: [[pet, { id: 42, ...REX }]],
          request: getting('42', { headers: { ...asKnown(), ...STRICT }, query: { fields: 'name' } }),
          response: errorResponse(400, 'invalid_request', 'unknown with handling=strict: "fields"', {
            ...DEPRECATED,
            'Preference-Applied': 'handling=strict',
          }),
        },
        async (service) => {
          const client = clientOf(service, CONTRACT_API_KEY, fetchWith(STRICT, '?fields=name'))
          expect(await rejectionOf(client.getPet(42))).toMatchObject({ code: 'invalid_request', status: 400 })
        },
      ))

    it('rejects every request after its removal', () =>
      contract.interaction(
        'one pet after the removal of the operation',
        {
          given: [[getPetRemoved]],
          request: getting('42'),
          response: errorResponse(410, 'gone', 'GET /pets/{petId} was removed.', DEPRECATED),
        },
        async (service) => {
          expect(await rejectionOf(clientOf(service).getPet(42))).toMatchObject({ code: 'gone', status: 410 })
        },
      ))
  })

  describe.each(OPERATIONS)('$operation', ({ operation, request, scope, scopeState, call }) => {
    const unauthorized = (error: string, message = 'The API key is not valid.') =>
      errorResponse(401, 'unauthorized', message, { 'WWW-Authenticate': `Bearer realm="pet-store"${error}` })
    const invalid = unauthorized(', error="invalid_token"')
    const lacksScope = `Bearer realm="pet-store", error="insufficient_scope", scope="${scope}"`
    const deprecated = operation === 'getPet' ? DEPRECATED : {}
    const KEYS = [
      { key: 'no key', apiKey: null, response: unauthorized('', 'An API key is required.') },
      { key: 'an unknown key', apiKey: UNKNOWN_API_KEY, response: invalid },
      { key: 'a revoked key', state: revokedKey, response: invalid },
      { key: 'an expired key', state: expiredKey, response: invalid },
      {
        key: `a key without ${scope}`,
        state: scopeState,
        response: errorResponse(403, 'forbidden', `The API key lacks the scope ${scope}.`, {
          ...deprecated,
          'WWW-Authenticate': lacksScope,
        }),
      },
      {
        key: 'a key that used up its limit',
        state: usedUpKey,
        response: errorResponse(429, 'rate_limited', 'Try again in 5 s.', { 'Retry-After': regex('^[1-9]\\d*$', '5') }),
      },
    ]

    it.each(KEYS)(
      `${operation} rejects a request with $key`,
      async ({ key, apiKey = CONTRACT_API_KEY, state, response }) => {
        const { Authorization: _, ...anonymous } = request.headers as Record<string, string>
        const headers = apiKey === null ? anonymous : { ...anonymous, ...asKnown(apiKey) }
        const interaction = { ...(state && { given: [[state]] as const }), request: { ...request, headers }, response }
        await contract.interaction(`${operation} with ${key}`, interaction, async (service) => {
          const { status, body } = response
          const error = await rejectionOf(call(clientOf(service, apiKey)))
          expect(error).toMatchObject({ code: body.code, status, retryAfterMs: status === 429 ? 5_000 : undefined })
        })
      },
    )
  })
}

const { addOnlyKey, readOnlyKey, revokedKey, expiredKey, usedUpKey } = PROVIDER_STATES
type Client = ReturnType<typeof clientOf>
const OPERATIONS = [
  {
    operation: 'listPets',
    request: listing(),
    scope: 'pets:read',
    scopeState: addOnlyKey,
    call: (client: Client) => client.listPets(),
  },
  {
    operation: 'createPet',
    request: creating('rejected', REX),
    scope: 'pets:write',
    scopeState: readOnlyKey,
    call: (client: Client) => client.createPet({ ...REX }, { idempotencyKey: 'rejected' }),
  },
  {
    operation: 'getPet',
    request: getting('1'),
    scope: 'pets:read',
    scopeState: addOnlyKey,
    call: (client: Client) => client.getPet(1),
  },
] as const
