import { Matchers } from '@pact-foundation/pact'
import { PROVIDER_STATES } from '../states/provider-states.ts'
import { asKnown, beginContract, fromState } from '../testing/contract.test-support.ts'
import { offersOf } from '../testing/storefront.test-support.ts'

const { equal, integer, string } = Matchers
const contract = beginContract('pet-store-storefront')

/** What the storefront reads of a pet: any name and category, but only available pets. */
const PET = { name: string('Rex'), categoryId: integer(1), status: equal('available') }
const REX = { name: 'Rex', categoryId: 1n, status: 'available' }
const FIRST_PAGE = { limit: '2', status: 'available' }
/** Follows the second of the available pets. */
const CURSOR = 'AQEAAAAAAAAAAvU9dic'
const given = [[PROVIDER_STATES.pets, { count: 3, status: 'available', limit: 2 }]] as const

contract.interaction('the first page of available pets', {
  given,
  request: { method: 'GET', path: '/pets', headers: asKnown(), query: FIRST_PAGE },
  response: {
    status: 200,
    headers: { Link: `<?limit=2&status=available&cursor=${CURSOR}>; rel="next"` },
    body: [
      { id: equal(1), ...PET },
      { id: equal(2), ...PET },
    ],
  },
  call: (client) => client.listPets({ status: 'available', limit: 2 }),
  returns: {
    pets: [
      { id: 1n, ...REX },
      { id: 2n, ...REX },
    ],
    next: { status: 'available', limit: 2, cursor: CURSOR },
  },
})

contract.interaction('the last page of available pets, by the cursor of the first', {
  given,
  request: {
    method: 'GET',
    path: '/pets',
    headers: asKnown(),
    query: { ...FIRST_PAGE, cursor: fromState('statusCursor', CURSOR) },
  },
  response: { status: 200, body: [{ id: equal(3), ...PET }] },
  call: (client) => client.listPets({ status: 'available', limit: 2, cursor: CURSOR }),
  returns: { pets: [{ id: 3n, ...REX }] },
})

contract.interaction('all available pets, which fit on one page', {
  given: [
    [PROVIDER_STATES.pet, { id: 4, name: 'Tom', status: 'sold' }],
    [PROVIDER_STATES.pet, { id: 7, name: 'Rex', status: 'available' }],
  ],
  request: { method: 'GET', path: '/pets', headers: asKnown(), query: FIRST_PAGE },
  response: { status: 200, body: [{ ...PET, id: equal(7), name: equal('Rex') }] },
  call: offersOf,
  returns: [{ id: 7n, title: 'Rex' }],
})

contract.expectCommitted()
