import { Matchers, Pact } from '@pact-foundation/pact'
import { createPetStoreClient } from '@pet-store/client'

const { eachLike, integer, string } = Matchers
const apiKey = 'pets_ContractTestsOnlyMayDoEverything0000000000005pLw4'
const pact = new Pact({ consumer: 'kiosk', provider: 'pet-store', dir: 'pacts' })

await pact
  .addInteraction()
  .given('N pets exist', { count: 2, status: 'sold' })
  .uponReceiving('a list of the sold pets')
  .withRequest('GET', '/pets', (request) =>
    request.query({ status: 'sold' }).headers({ Authorization: `Bearer ${apiKey}` }),
  )
  .willRespondWith(200, (response) =>
    response.jsonBody(eachLike({ id: integer(1), name: string('Rex'), categoryId: integer(1), status: 'sold' })),
  )
  .executeTest(async ({ url }) => {
    const client = createPetStoreClient({ baseUrl: url, apiKey, retries: 0 })
    const { pets } = await client.listPets({ status: 'sold' })
    if (pets.length === 0) throw new Error('nothing was sold')
  })
