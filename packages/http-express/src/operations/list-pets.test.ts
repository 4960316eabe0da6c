import { expect } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { it, type TestServer } from '../testing/start-test-server.test-support.ts'

async function add(server: TestServer, count: number, status?: string): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const response = await server.post(
      JSON.stringify({ name: `Pet ${index}`, categoryId: 1, status }),
    )
    expect(response.status).toBe(201)
  }
}

async function idsOf(server: TestServer, path: string): Promise<number[]> {
  const response = await server.send({ path })
  expect(response.status, response.text).toBe(200)
  return JSON.parse(response.text).map((pet: { id: number }) => pet.id)
}

it('GET /v1/pets responds with a bare empty array when there are no pets', async ({ server }) => {
  const response = await server.send({})
  expect(response).toMatchObject({ status: 200, text: '[]' })
  expect(response.headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
  expect(response.headers['link']).toBeUndefined()
  expect(response.headers['deprecation']).toBeUndefined()
  expect(response.headers['x-powered-by']).toBeUndefined()
})

it('GET /v1/pets responds with pets by ascending id, with exactly the documented fields', async ({
  server,
}) => {
  await server.post(
    '{"name":"Rex","categoryId":-9223372036854775808,"status":"sold","id":7,"extra":true}',
  )
  await server.post('{"name":"Bo","categoryId":9223372036854775807}')
  const { text } = await server.send({})
  expect(text).toBe(
    '[{"id":1,"name":"Rex","categoryId":-9223372036854775808,"status":"sold"},' +
      '{"id":2,"name":"Bo","categoryId":9223372036854775807}]',
  )
})

it('GET /v1/pets filters by status; a pet without one matches no filter', async ({ server }) => {
  await add(server, 1)
  await add(server, 1, 'available')
  await add(server, 1, 'pending')
  await add(server, 1, 'sold')
  await add(server, 1, 'available')
  expect(await idsOf(server, '/v1/pets?status=available')).toEqual([2, 5])
  expect(await idsOf(server, '/v1/pets?status=pending')).toEqual([3])
  expect(await idsOf(server, '/v1/pets?status=sold')).toEqual([4])
  expect(await idsOf(server, '/v1/pets')).toEqual([1, 2, 3, 4, 5])
})

it.for([
  'limit=1&x=1&limits=0&Limit=0&LIMIT=a',
  '__proto__=1&constructor=2&toString=3&limit=1',
  '&&=&limit=1&',
  '%6Cimit=1',
])('GET /v1/pets ignores parameters that it does not know: %s', async (query, { server }) => {
  await add(server, 2)
  expect(await idsOf(server, `/v1/pets?${query}`)).toEqual([1])
})

const LIMIT_RULE = 'limit must be an integer from 1 to 100'
it.for([
  ['0', `${LIMIT_RULE}, got "0"`],
  ['01', `${LIMIT_RULE}, got "01"`],
  ['', `${LIMIT_RULE}, got ""`],
  ['+1', `${LIMIT_RULE}, got " 1"`],
  ['1%0A', `${LIMIT_RULE}, got "1\\n"`],
  ['1%00', `${LIMIT_RULE}, got "1\\u0000"`],
  ['%D9%A1', LIMIT_RULE],
  ['%zz', `${LIMIT_RULE}, got "%zz"`],
  ['9'.repeat(300), LIMIT_RULE],
  ['%22%3E%3Cscript%3E', `${LIMIT_RULE}, got "\\"><script>"`],
  ['1&limit=1', 'limit must not be repeated, got a list'],
  ['1&limit', 'limit must not be repeated, got a list'],
] as const)(
  'GET /v1/pets rejects limit=%s instead of clamping it',
  async ([limit, message], { server }) => {
    expect(
      expectError(await server.send({ path: `/v1/pets?limit=${limit}` }), 'invalid_request'),
    ).toBe(message)
  },
)

const STATUS_RULE = 'status must be one of available, pending, sold'
it.for([
  ['', `${STATUS_RULE}, got ""`],
  ['Available', `${STATUS_RULE}, got "Available"`],
  ['available,sold', `${STATUS_RULE}, got "available,sold"`],
  ['sold&status=sold', 'status must not be repeated, got a list'],
] as const)('GET /v1/pets rejects status=%s', async ([status, message], { server }) => {
  const response = await server.send({ path: `/v1/pets?status=${status.replaceAll(' ', '%20')}` })
  expect(expectError(response, 'invalid_request')).toBe(message)
})

it('GET /v1/pets ignores a body', async ({ server }) => {
  const response = await server.send({
    body: 'not json',
    headers: { 'Content-Type': 'text/plain' },
  })
  expect(response).toMatchObject({ status: 200, text: '[]' })
})
