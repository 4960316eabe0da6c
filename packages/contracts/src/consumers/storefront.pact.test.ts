import { Matchers } from '@pact-foundation/pact'
import { expect, it } from 'vitest'
import { PROVIDER_STATES } from '../states/provider-states.ts'
import { asKnown, beginContract, clientOf, fromState } from '../testing/contract.test-support.ts'
import { offersOf } from '../testing/storefront.test-support.ts'

const { equal, integer, string } = Matchers
const contract = beginContract('pet-store-storefront')

/** What the storefront reads of a pet: any name and category, but only available pets. */
const PET = { name: string('Rex'), categoryId: integer(1), status: equal('available') }
const FIRST_PAGE = { limit: '2', status: 'available' }
/** Follows the second of the available pets. */
const CURSOR = 'AQEAAAAAAAAAAvU9dic'
const given = [[PROVIDER_STATES.pets, { count: 3, status: 'available', limit: 2 }]] as const

it('the storefront follows the given link from the first page to the last, without a pet lost or repeated', async () => {
  await contract.interaction(
    'the first page of available pets',
    {
      given,
      request: { method: 'GET', path: '/pets', headers: asKnown(), query: FIRST_PAGE },
      response: {
        status: 200,
        headers: {
          Link: `<?limit=2&status=available&cursor=${CURSOR}>; rel="next"`,
        },
        body: [
          { id: equal(1), ...PET },
          { id: equal(2), ...PET },
        ],
      },
    },
    async (service) => {
      const { pets, next } = await clientOf(service).listPets({ status: 'available', limit: 2 })
      expect(pets.map(({ id }) => id)).toEqual([1n, 2n])
      expect(next).toEqual({ status: 'available', limit: 2, cursor: CURSOR })
    },
  )

  const cursor = fromState('statusCursor', CURSOR)
  await contract.interaction(
    'the last page of available pets, by the cursor of the first',
    {
      given,
      request: { method: 'GET', path: '/pets', headers: asKnown(), query: { ...FIRST_PAGE, cursor } },
      response: { status: 200, body: [{ id: equal(3), ...PET }] },
    },
    async (service) => {
      const { pets, next } = await clientOf(service).listPets({ status: 'available', limit: 2, cursor: CURSOR })
      expect(pets.map(({ id }) => id)).toEqual([3n])
      expect(next).toBeUndefined()
    },
  )
})

it('the storefront offers available pets', () =>
  contract.interaction(
    'all available pets, which fit on one page',
    {
      given: [
        [PROVIDER_STATES.pet, { id: 4, name: 'Tom', status: 'sold' }],
        [PROVIDER_STATES.pet, { id: 7, name: 'Rex', status: 'available' }],
      ],
      request: { method: 'GET', path: '/pets', headers: asKnown(), query: FIRST_PAGE },
      response: { status: 200, body: [{ ...PET, id: equal(7), name: equal('Rex') }] },
    },
    async (service) => expect(await offersOf(clientOf(service))).toEqual([{ id: 7n, title: 'Rex' }]),
  ))

it('the contract of the storefront is the committed one', () => contract.expectCommitted())
