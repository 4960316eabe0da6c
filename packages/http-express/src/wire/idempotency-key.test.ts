import { SCOPES } from '@pet-store/access'
import { expect } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { it, startTestServer } from '../testing/start-test-server.test-support.ts'

const REX = '{"name":"Rex","categoryId":1}'
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })

it('Idempotency-Key gives the same response to the same pet, however its JSON is written', async ({
  server,
}) => {
  const first = await server.post('{"name":"Rex","categoryId":1,"status":"sold"}', keyed('k1'))
  const again = await server.post(
    ' { "status":"sold", "categoryId":1.0e0, "name":"R\\u0065x", "id":9 } ',
    keyed('k1'),
  )

  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.text).toBe(first.text)
  expect(again.headers['location']).toBe(first.headers['location'])
  expect((await server.send({})).text).toBe(`[${first.text}]`)
})

it('Idempotency-Key marks the response that repeats an earlier one, and only that', async ({
  server,
}) => {
  expect((await server.post(REX)).headers).not.toHaveProperty('idempotency-replayed')
  expect((await server.post(REX, keyed('k'))).headers).not.toHaveProperty('idempotency-replayed')
  expect((await server.post(REX, keyed('k'))).headers).toHaveProperty(
    'idempotency-replayed',
    'true',
  )
  expectError(
    await server.post('{"name":"Mia","categoryId":1}', keyed('k')),
    'idempotency_key_reused',
  )
})

it('Idempotency-Key is the same with and without quotes', async ({ server }) => {
  const first = await server.post(REX, keyed('a-key'))
  expect((await server.post(REX, keyed('"a-key"'))).text).toBe(first.text)
})

it('Idempotency-Key is not used up by a request that is rejected', async ({ server }) => {
  expectError(await server.post('{"name":" ","categoryId":1}', keyed('k')), 'invalid_request')
  expectError(await server.post('{"name":', keyed('k')), 'invalid_request')
  expect((await server.post(REX, keyed('k'))).status).toBe(201)
})

it('Idempotency-Key can be used for another pet after 24 hours', async ({ server }) => {
  const first = await server.post(REX, keyed('k'))
  server.clock.now = new Date(server.clock.now.getTime() + 24 * 3_600_000 - 1)
  expect((await server.post(REX, keyed('k'))).text).toBe(first.text)
  server.clock.now = new Date(server.clock.now.getTime() + 1)
  expect((await server.post(REX, keyed('k'))).text).toBe('{"id":2,"name":"Rex","categoryId":1}')
})

it('Idempotency-Key belongs to the API key that it was sent with', async () => {
  const server = await startTestServer({ tokenCheck: (key) => ({ keyId: key, scopes: SCOPES }) })
  const ids = []
  for (const key of ['one', 'two', 'one']) {
    ids.push(/"id":([0-9]+)/.exec((await server.post(REX, { key, ...keyed('k') })).text)?.[1])
  }
  expect(ids).toEqual(['1', '2', '1'])
})

it.for([
  ['is empty', ''],
  ['is empty in its quotes', '""'],
  ['has a space', 'a b'],
  ['has a byte beyond ASCII', 'é'],
  ['has an open quote', '"abc'],
  ['has text behind its quotes', '"a"b'],
  ['is longer than 255', 'k'.repeat(256)],
] as const)('Idempotency-Key is rejected when it %s', async ([, key], { server }) => {
  const response = await server.post(REX, keyed(key))
  expect(expectError(response, 'invalid_request')).toContain('Idempotency-Key')
  expect((await server.send({})).text).toBe('[]')
})

it('Idempotency-Key is rejected when it is repeated', async ({ server }) => {
  expectError(
    await server.post(REX, { headers: { 'Idempotency-Key': ['a', 'a'] } }),
    'invalid_request',
  )
})

it('Idempotency-Key may have 255 characters', async ({ server }) => {
  expect((await server.post(REX, keyed(`"${'~'.repeat(255)}"`))).status).toBe(201)
})
