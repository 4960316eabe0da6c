// What the kiosk relies on, as a Pact contract: writes kiosk-pet-store.json into the folder of the
// first argument. Run it with: node --conditions=@pet-store/source examples/kiosk-contract.ts pacts
import { deepEqual, equal } from 'node:assert/strict'
import { Matchers, Pact } from '@pact-foundation/pact'
import { createPetStoreClient, type PetStoreClient } from '@pet-store/client'
import { offers, register, withoutStatus } from './kiosk.ts'

// From docs/how-to/add-a-consumer-contract.md, with the names of the states.
const API_KEY = 'pets_ContractTestsOnlyMayDoEverything0000000000005pLw4'
const UNKNOWN_API_KEY = 'pets_ContractTestsOnlyIsKnownNowhere0000000000004FPeV1'
const BRINGS = { name: 'Rex', categoryId: 7, status: 'available' }

const { eachKeyMatches, fromProviderState, integer, regex, string } = Matchers
const dir = process.argv[2] ?? 'pacts'
const pact = new Pact({ consumer: 'kiosk', provider: 'pet-store', dir, logLevel: 'error' })
const clientOf = (baseUrl: string, apiKey: string = API_KEY): PetStoreClient =>
  createPetStoreClient({ baseUrl, apiKey, retries: 0 })

await pact
  .addInteraction()
  .given('a pet exists', { id: 6, name: 'Tom', status: 'sold' })
  .given('a pet exists', {
    id: 7,
    name: 'Mia',
    categoryId: '9223372036854775807',
    status: 'available',
  })
  .uponReceiving('the pets on offer')
  .withRequest('GET', '/pets', (request) =>
    request
      .query({ limit: '2', status: 'available' })
      .headers({ Authorization: `Bearer ${API_KEY}` }),
  )
  // As text: a JavaScript number would round this category.
  .willRespondWith(200, (response) =>
    response.jsonBody(
      '[{"id":7,"name":"Mia","categoryId":9223372036854775807,"status":"available"}]',
    ),
  )
  .executeTest(async ({ url }) =>
    deepEqual(await offers(clientOf(url)), ['7: Mia (category 9223372036854775807)']),
  )

await pact
  .addInteraction()
  .given('N pets exist', { count: 3, status: 'available', limit: 2 })
  .uponReceiving('the first page of three pets on offer')
  .withRequest('GET', '/pets', (request) =>
    request
      .query({ limit: '2', status: 'available' })
      .headers({ Authorization: `Bearer ${API_KEY}` }),
  )
  .willRespondWith(200, (response) => {
    // The state knows the cursor after the second pet, so one that repeats or skips a pet is seen.
    const link = (cursor: string) => `<?limit=2&status=available&cursor=${cursor}>; rel="next"`
    const example = fromProviderState(link(`\${statusCursor}`), link('AQEAAAAAAAAAAvU9dic'))
    response.headers({ Link: { ...example, 'pact:matcher:type': 'equality' } })
    response.jsonBody(
      [1, 2].map((id) => ({
        id,
        name: string('Rex'),
        categoryId: integer(1),
        status: 'available',
      })),
    )
  })
  .executeTest(async ({ url }) => {
    const { next } = await clientOf(url).listPets({ status: 'available', limit: 2 })
    equal(next?.cursor, 'AQEAAAAAAAAAAvU9dic')
  })

await pact
  .addInteraction()
  .given('a pet exists', { id: 8, name: 'Ada' })
  .uponReceiving('a pet whose status nobody has set')
  .withRequest('GET', '/pets', (request) => request.headers({ Authorization: `Bearer ${API_KEY}` }))
  .willRespondWith(200, (response) => {
    // A response may have further fields, even "status": null. This pattern of names excludes that
    // one.
    const notStatus = regex('^(?:[^s].*|.{0,5}|.{7,})$', 'id')
    response.jsonBody([eachKeyMatches({ id: 8, name: 'Ada', categoryId: 1 }, notStatus)])
  })
  .executeTest(async ({ url }) => deepEqual(await withoutStatus(clientOf(url)), ['8: Ada']))

await pact
  .addInteraction()
  .uponReceiving('a pet that is brought in')
  .withRequest('POST', '/pets', (request) =>
    request
      .headers({ Authorization: `Bearer ${API_KEY}`, 'Idempotency-Key': 'receipt-1' })
      .jsonBody(BRINGS),
  )
  .willRespondWith(201, (response) => response.jsonBody({ id: integer(1), ...BRINGS }))
  .executeTest(async ({ url }) =>
    equal(await register(clientOf(url), 'Rex', 7n, 'receipt-1'), 'Registered Rex as pet 1.'),
  )

await pact
  .addInteraction()
  .uponReceiving('a pet without a name')
  .withRequest('POST', '/pets', (request) =>
    request
      .headers({ Authorization: `Bearer ${API_KEY}`, 'Idempotency-Key': 'receipt-2' })
      .jsonBody({ ...BRINGS, name: '' }),
  )
  .willRespondWith(400, (response) =>
    response.jsonBody({
      code: 'invalid_request',
      message: string('name must not be blank'),
      status: 400,
    }),
  )
  .executeTest(async ({ url }) =>
    equal(
      await register(clientOf(url), '', 7n, 'receipt-2'),
      'Not registered: name must not be blank',
    ),
  )

await pact
  .addInteraction()
  .uponReceiving('a pet of a kiosk with an unknown key')
  .withRequest('POST', '/pets', (request) =>
    request
      .headers({ Authorization: `Bearer ${UNKNOWN_API_KEY}`, 'Idempotency-Key': 'receipt-3' })
      .jsonBody(BRINGS),
  )
  .willRespondWith(401, (response) =>
    response.jsonBody({
      code: 'unauthorized',
      message: string('The API key is not valid.'),
      status: 401,
    }),
  )
  .executeTest(async ({ url }) =>
    equal(
      await register(clientOf(url, UNKNOWN_API_KEY), 'Rex', 7n, 'receipt-3'),
      'This kiosk has no valid key.',
    ),
  )

// The description does not allow this body; a contract may have it all the same.
await pact
  .addInteraction()
  .uponReceiving('a text instead of a pet')
  .withRequest('POST', '/pets', (request) =>
    request.headers({ Authorization: `Bearer ${API_KEY}` }).body('text/plain', Buffer.from('Rex')),
  )
  .willRespondWith(415, (response) =>
    response.jsonBody({
      code: 'unsupported_media_type',
      message: string('The body must be JSON.'),
      status: 415,
    }),
  )
  .executeTest(async ({ url }) => {
    const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'text/plain' }
    equal((await fetch(`${url}/pets`, { method: 'POST', headers, body: 'Rex' })).status, 415)
  })
