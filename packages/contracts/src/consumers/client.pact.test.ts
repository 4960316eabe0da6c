import { Matchers } from '@pact-foundation/pact'
import { describe, expect, it } from 'vitest'
import { CONTRACT_API_KEY, PROVIDER_STATES } from '../states/provider-states.ts'
import { describeClientErrors } from '../testing/client-errors.test-support.ts'
import { describeClientPages } from '../testing/client-pages.test-support.ts'
import {
  creating,
  DEPRECATED,
  fetchWith,
  getting,
  listing,
  OTHER_API_KEY,
  REX,
} from '../testing/client-requests.test-support.ts'
import { asKnown, beginContract, clientOf } from '../testing/contract.test-support.ts'

const { eachKeyMatches, integer, regex } = Matchers
const contract = beginContract('pet-store-client')
const { noPets, pet, pets, noSuchPet, creation } = PROVIDER_STATES

/** A pet with these fields, with any id. */
const petOf = (fields: object) => ({ id: integer(1), ...fields })

/** A pet that may have further fields, as always in Pact, but no `status`. Pact's patterns have no negation. */
const withoutStatus = (fields: object) => eachKeyMatches({ ...fields }, regex('^(?:[^s].*|.{0,5}|.{7,})$', 'id'))

describe('listPets', () => {
  it('returns pets with and without a status', () =>
    contract.interaction(
      'a list of two pets, one of them without a status',
      {
        given: [
          [pet, { id: 1, ...REX }],
          [pet, { id: 2, name: 'Tom', categoryId: 8 }],
        ],
        request: listing(),
        response: {
          status: 200,
          headers: {
            'RateLimit-Policy': '"default";q=20;w=3600',
            RateLimit: regex('^"default";r=19;t=\\d+$', '"default";r=19;t=60'),
          },
          body: [{ id: 1, ...REX }, withoutStatus({ id: 2, name: 'Tom', categoryId: 8 })],
        },
      },
      async (service) => {
        const tom = { id: 2n, name: 'Tom', categoryId: 8n }
        expect(await clientOf(service).listPets()).toEqual({ pets: [{ id: 1n, ...REX, categoryId: 7n }, tom] })
      },
    ))

  it('returns an empty list', () =>
    contract.interaction(
      'a list of no pets',
      { given: [[noPets]], request: listing(), response: { status: 200, body: [] } },
      async (service) => expect(await clientOf(service).listPets()).toEqual({ pets: [] }),
    ))

  it('returns only pets of the requested status', () =>
    contract.interaction(
      'a list of the available pets',
      {
        given: [
          [pet, { id: 1, name: 'Tom', categoryId: 8 }],
          [pet, { id: 2, name: 'Ada', categoryId: 8, status: 'sold' }],
          [pet, { id: 3, ...REX }],
        ],
        request: listing({ status: 'available' }),
        response: { status: 200, body: [{ id: 3, ...REX }] },
      },
      async (service) => {
        const { pets: found } = await clientOf(service).listPets({ status: 'available' })
        expect(found.map(({ id }) => id)).toEqual([3n])
      },
    ))

  it('echoes the request id', () =>
    contract.interaction(
      'a list with a request id',
      {
        request: listing(undefined, { ...asKnown(), 'X-Request-Id': 'order 4711' }),
        response: { status: 200, headers: { 'X-Request-Id': 'order 4711' }, body: [] },
      },
      async (service) => {
        const withId = fetchWith({ 'X-Request-Id': 'order 4711' })
        await clientOf(service, CONTRACT_API_KEY, withId).listPets()
      },
    ))
})

describe('createPet', () => {
  it('creates a pet', () =>
    contract.interaction(
      'a new pet',
      {
        request: creating('add-rex', REX),
        response: { status: 201, headers: { Location: 'pets/1' }, body: { id: 1, ...REX } },
      },
      async (service) => {
        const created = await clientOf(service).createPet({ ...REX }, { idempotencyKey: 'add-rex' })
        expect(created).toEqual({ id: 1n, ...REX, categoryId: 7n })
      },
    ))

  it('creates a pet without a status', () =>
    contract.interaction(
      'a new pet without a status',
      {
        request: creating('add-tom', { name: 'Tom', categoryId: 8 }),
        response: { status: 201, body: withoutStatus(petOf({ name: 'Tom', categoryId: 8 })) },
      },
      async (service) => {
        const tom = { name: 'Tom', categoryId: 8 }
        const created = await clientOf(service).createPet(tom, { idempotencyKey: 'add-tom' })
        expect(created).toEqual({ id: 1n, ...tom, categoryId: 8n })
      },
    ))

  it.each([9223372036854775807n, -9223372036854775808n])('creates a pet with the categoryId %d', (categoryId) =>
    contract.interaction(
      `a new pet with the categoryId ${categoryId}`,
      {
        request: creating('add-large', `{"name":"Rex","categoryId":${categoryId}}`),
        response: { status: 201, body: `{"id":1,"name":"Rex","categoryId":${categoryId}}` },
      },
      async (service) => {
        const created = await clientOf(service).createPet({ name: 'Rex', categoryId }, { idempotencyKey: 'add-large' })
        expect(created).toEqual({ id: 1n, name: 'Rex', categoryId })
      },
    ),
  )

  it('returns the pet of the first attempt when it is repeated', () =>
    contract.interaction(
      'a new pet that was created already with the same idempotency key',
      {
        given: [
          [pets, { count: 4 }],
          [creation, { idempotencyKey: 'rex-once', ...REX }],
          [noSuchPet, { id: 6 }],
        ],
        request: creating('rex-once', REX),
        response: {
          status: 201,
          headers: { Location: 'pets/5', 'Idempotency-Replayed': 'true' },
          body: { id: 5, ...REX },
        },
      },
      async (service) => {
        const { id } = await clientOf(service).createPet({ ...REX }, { idempotencyKey: 'rex-once' })
        expect(id).toBe(5n)
      },
    ))

  it.each([
    ['equal to one that was created with another idempotency key', {}, 'rex-twice'],
    ['with an idempotency key that another API key has used', { apiKey: OTHER_API_KEY }, 'rex-once'],
  ] as const)('creates a second pet %s', (what, parameters, key) =>
    contract.interaction(
      `a new pet ${what}`,
      {
        given: [[creation, { idempotencyKey: 'rex-once', ...REX, ...parameters }]],
        request: creating(key, REX),
        response: { status: 201, headers: { Location: 'pets/2' }, body: { id: 2, ...REX } },
      },
      async (service) => {
        const { id } = await clientOf(service).createPet({ ...REX }, { idempotencyKey: key })
        expect(id).toBe(2n)
      },
    ),
  )

  it('returns an unusual name unchanged', async () => {
    const zoe = { name: ' Zo\u00ebe\u0308 \u{1F43E}\t', categoryId: -7, status: 'pending' } as const
    const response = { status: 201, body: petOf(zoe) }
    await contract.interaction(
      'a new pet with an unusual name',
      { request: creating('add-zoe', zoe), response },
      async (service) => {
        const created = await clientOf(service).createPet(zoe, { idempotencyKey: 'add-zoe' })
        expect(created).toEqual({ id: 1n, ...zoe, categoryId: -7n })
      },
    )
  })
})

describe('getPet', () => {
  it('returns a pet, and when the operation ends', () =>
    contract.interaction(
      'one pet',
      {
        given: [[pet, { id: 42, ...REX }]],
        request: getting('42'),
        response: { status: 200, headers: DEPRECATED, body: { id: 42, ...REX } },
      },
      async (service) => expect(await clientOf(service).getPet(42)).toEqual({ id: 42n, ...REX, categoryId: 7n }),
    ))

  it('returns the greatest id exactly', () =>
    contract.interaction(
      'one pet with the greatest id',
      {
        given: [[pet, { id: '9223372036854775807' }]],
        request: getting('9223372036854775807'),
        response: { status: 200, body: '{"id":9223372036854775807,"name":"Rex","categoryId":1}' },
      },
      async (service) => expect((await clientOf(service).getPet(9223372036854775807n)).id).toBe(9223372036854775807n),
    ))

  it('returns integers beyond 2^53 exactly', () =>
    contract.interaction(
      'one pet with integers beyond 2^53',
      {
        given: [[pet, { id: '9007199254740993', categoryId: '-9007199254740993' }]],
        request: getting('9007199254740993'),
        response: { status: 200, body: '{"id":9007199254740993,"name":"Rex","categoryId":-9007199254740993}' },
      },
      async (service) => {
        const found = await clientOf(service).getPet(9007199254740993n)
        expect(found).toEqual({ id: 9007199254740993n, name: 'Rex', categoryId: -9007199254740993n })
      },
    ))
})

describeClientPages(contract)
describeClientErrors(contract)

it('the contract of the client is the committed one', () => contract.expectCommitted())
