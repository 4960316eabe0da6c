import { Matchers } from '@pact-foundation/pact'
import { expect, it } from 'vitest'
import { PROVIDER_STATES } from '../provider-states.ts'
import { asKnown, beginContract, clientOf } from './contract.test-support.ts'
import { offersOf } from './storefront.test-support.ts'

const { equal, fromProviderState, integer, regex, string } = Matchers
const contract = beginContract('pet-store-storefront')

/** What the shop front reads of a pet: it takes any id, name and category, but sells only what is available. */
const PET = { id: integer(2), name: string('Rex'), categoryId: integer(1), status: equal('available') }
const JSON_BODY = { 'Content-Type': 'application/json' }
/** Opaque, so whatever the service gives there is good; this is an example. */
const CURSOR = 'AQEAAAAAAAAAAvU9dic'

it('walks from the first page of available pets to the last', async () => {
  await contract
    .interaction()
    .given(PROVIDER_STATES.pets, { count: 3, status: 'available', limit: 2 })
    .uponReceiving('the first page of available pets')
    .withRequest('GET', '/pets', (request) => request.headers(asKnown()).query({ limit: '2', status: 'available' }))
    .willRespondWith(200, (response) =>
      response
        .headers({
          ...JSON_BODY,
          Link: regex(
            '^<[^>]*\\?limit=2&status=available&cursor=[\\w-]+>; ?rel="next"$',
            `<?limit=2&status=available&cursor=${CURSOR}>; rel="next"`,
          ),
        })
        .jsonBody([PET, PET]),
    )
    .executeTest(async (service) => {
      const { pets, next } = await clientOf(service).listPets({ status: 'available', limit: 2 })
      expect(pets).toHaveLength(2)
      expect(next).toEqual({ status: 'available', limit: 2, cursor: CURSOR })
    })

  await contract
    .interaction()
    .given(PROVIDER_STATES.pets, { count: 3, status: 'available', limit: 2 })
    .uponReceiving('the last page of available pets, by the cursor of the first')
    .withRequest('GET', '/pets', (request) =>
      request
        .headers(asKnown())
        // biome-ignore lint/suspicious/noTemplateCurlyInString: Pact fills it in.
        .query({ limit: '2', status: 'available', cursor: fromProviderState('${statusCursor}', CURSOR) }),
    )
    .willRespondWith(200, (response) => response.headers(JSON_BODY).jsonBody([{ ...PET, id: equal(3) }]))
    .executeTest(async (service) => {
      const { pets, next } = await clientOf(service).listPets({ status: 'available', limit: 2, cursor: CURSOR })
      expect(pets.map(({ id }) => id)).toEqual([3n])
      expect(next).toBeUndefined()
    })
})

it('has offers for what is available', async () => {
  await contract
    .interaction()
    .given(PROVIDER_STATES.pet, { id: 4, name: 'Tom', status: 'sold' })
    .given(PROVIDER_STATES.pet, { id: 7, name: 'Rex', status: 'available' })
    .uponReceiving('all available pets, which fit on one page')
    .withRequest('GET', '/pets', (request) => request.headers(asKnown()).query({ limit: '2', status: 'available' }))
    .willRespondWith(200, (response) =>
      response.headers(JSON_BODY).jsonBody([{ ...PET, id: equal(7), name: equal('Rex') }]),
    )
    .executeTest(async (service) => {
      expect(await offersOf(clientOf(service))).toEqual([{ id: 7n, title: 'Rex' }])
    })
})

it('is the committed contract of the shop front', () => contract.expectCommitted())
