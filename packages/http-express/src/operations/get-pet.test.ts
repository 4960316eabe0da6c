import { createPetUseCases, type Pet } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { expect } from 'vitest'
import { expectError, type TestResponse } from '../testing/expect-error.test-support.ts'
import { it, startTestServer } from '../testing/start-test-server.test-support.ts'

const LAST_MOMENT = new Date('2030-12-05T23:59:59.999Z')
const REMOVED = new Date('2030-12-06T00:00:00.000Z')

function expectDeprecated(response: TestResponse): void {
  expect(response.headers['deprecation']).toMatch(/^@\d{10}$/)
  expect(response.headers['sunset']).toBe('Thu, 05 Dec 2030 23:59:59 GMT')
  const link = /^<([^>]+)>; rel="deprecation"/.exec(String(response.headers['link']))?.[1]
  expect(new URL(String(link), 'http://localhost/v1/pets/1').pathname).toBe('/docs')
}

it('GET /v1/pets/{petId} responds with the pet and says that the operation is deprecated', async ({
  server,
}) => {
  const created = await server.post('{"name":"Rex","categoryId":9007199254740993,"status":"sold"}')
  const response = await server.send({ path: '/v1/pets/1' })
  expect(response).toMatchObject({ status: 200, text: created.text })
  expectDeprecated(response)
})

it.each(['9223372036854775807', '-9223372036854775808', '-1', '0', '9007199254740993'])(
  'GET /v1/pets/{petId} finds the pet with the id %s',
  async (id) => {
    const pet: Pet = { id: BigInt(id), name: 'Rex', categoryId: 1n }
    const find = async (sought: bigint) => (sought === pet.id ? pet : undefined)
    const server = await startTestServer({ repository: { ...createMemoryPets(), find } })
    expect((await server.send({ path: `/v1/pets/${id}` })).text).toBe(
      `{"id":${id},"name":"Rex","categoryId":1}`,
    )
  },
)

it.for([
  '2',
  '-1',
  '9223372036854775807',
  '-9223372036854775808',
  '1%0A',
  '1%00',
  'abc',
  '1%2F',
  '%D9%A1',
  '-9223372036854775809',
  '9'.repeat(4000),
  '__proto__',
])(
  'GET /v1/pets/{petId} responds with 404 for %s, which is not the canonical id of a pet',
  async (id, { server }) => {
    await server.post('{"name":"Rex","categoryId":1}')
    const response = await server.send({ path: `/v1/pets/${id}` })
    expectError(response, 'not_found')
    expectDeprecated(response)
  },
)

it('GET /v1/pets/{petId} reads encoded digits like plain ones, as they are the same URI', async ({
  server,
}) => {
  await server.post('{"name":"Rex","categoryId":1}')
  expect((await server.send({ path: '/v1/pets/%31' })).status).toBe(200)
})

it('GET /v1/pets/{petId} says that it is deprecated only after the key check', async ({
  server,
}) => {
  const rejected = await server.send({ path: '/v1/pets/1', key: null })
  expect(rejected.headers).not.toHaveProperty('deprecation')
})

it.for(['GET', 'HEAD'])(
  '/v1/pets/{petId} responds to %s until the last moment of 5 December 2030',
  async (method, { server }) => {
    await server.post('{"name":"Rex","categoryId":1}')
    server.clock.now = LAST_MOMENT
    const response = await server.send({ method, path: '/v1/pets/1' })
    expect(response.status).toBe(200)
    expectDeprecated(response)
  },
)

it.for(['1', '2', 'abc'])(
  'GET /v1/pets/{petId} is 410 from 6 December 2030 on, whatever the id: %s',
  async (id, { server }) => {
    await server.post('{"name":"Rex","categoryId":1}')
    server.clock.now = REMOVED
    const response = await server.send({ path: `/v1/pets/${id}` })
    const message = expectError(response, 'gone')
    expect(message).toContain('GET /pets')
    expect(message).toContain('status')
    expectDeprecated(response)
    const head = await server.send({ method: 'HEAD', path: `/v1/pets/${id}` })
    expect(head).toMatchObject({ status: 410, text: '' })
    expectDeprecated(head)
  },
)

it('GET /v1/pets/{petId} is not named in the Location of new pets once it is gone', async ({
  server,
}) => {
  server.clock.now = LAST_MOMENT
  expect((await server.post('{"name":"Rex","categoryId":1}')).headers['location']).toBe('pets/1')
  server.clock.now = REMOVED
  const response = await server.post('{"name":"Rex","categoryId":1}')
  expect(response.status).toBe(201)
  expect(response.headers).not.toHaveProperty('location')
})

it('GET /v1/pets/{petId} does not query the repository once it is removed', async () => {
  const pets = {
    ...createPetUseCases(createMemoryPets()),
    getPet: () => Promise.reject(new Error('The repository was queried.')),
  }
  const server = await startTestServer({ pets })
  server.clock.now = REMOVED
  expectError(await server.send({ path: '/v1/pets/1' }), 'gone')
})
