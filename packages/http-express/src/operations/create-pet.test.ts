import { expect } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { failingWith, it, startTestServer } from '../testing/start-test-server.test-support.ts'

const CATEGORY_RULE =
  'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'
const STATUS_RULE = 'status must be one of available, pending, sold'

it('POST /v1/pets responds with 201, the whole pet and its location', async ({ server }) => {
  const response = await server.post('{"name":"Rex","categoryId":7,"status":"pending"}')
  expect(response).toMatchObject({
    status: 201,
    text: '{"id":1,"name":"Rex","categoryId":7,"status":"pending"}',
  })
  expect(response.headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
  const location = new URL(String(response.headers['location']), 'http://localhost/prefix/v1/pets')
  expect(location.pathname).toBe('/prefix/v1/pets/1')
  const found = await server.send({ path: '/v1/pets/1' })
  expect(found.text).toBe(response.text)
})

it.for([
  ['{}', 'name is required; categoryId is required'],
  ['{"name":"Rex"}', 'categoryId is required'],
  ['{"categoryId":1}', 'name is required'],
  ['{"Name":"Rex","categoryid":1}', 'name is required; categoryId is required'],
  ['{"__proto__":{"name":"Rex","categoryId":1}}', 'name is required; categoryId is required'],
  ['{"constructor":{"prototype":{"name":"Rex"}},"categoryId":1}', 'name is required'],
  [
    '{"name":1,"categoryId":"x","status":2}',
    `name must be a string, got 1; ${CATEGORY_RULE}, got "x"; ${STATUS_RULE}, got 2`,
  ],
] as const)(
  'POST /v1/pets names every invalid field in %s',
  async ([body, message], { server }) => {
    expect(expectError(await server.post(body), 'invalid_request')).toBe(message)
  },
)

it.for([
  ['[]', 'the body must be a JSON object, got a list'],
  ['null', 'the body must be a JSON object, got null'],
  ['9007199254740993', 'the body must be a JSON object, got 9007199254740993'],
  ['1.5', 'the body must be a JSON object'],
] as const)(
  'POST /v1/pets rejects the body %s, which is not an object',
  async ([body, message], { server }) => {
    expect(expectError(await server.post(body), 'invalid_request')).toBe(message)
  },
)

it.for([
  '"__proto__":{"id":5}',
  '"constructor":1,"prototype":2,"toString":3,"hasOwnProperty":4',
  '"id":99',
  '"price":1e999,"tags":["a",1.0,9007199254740993]',
  '"":0',
])(
  'POST /v1/pets ignores the unknown fields %s, never stores or echoes them',
  async (fields, { server }) => {
    const response = await server.post(`{"name":"Rex","categoryId":1,${fields}}`)
    expect(response).toMatchObject({ status: 201, text: '{"id":1,"name":"Rex","categoryId":1}' })
    expect((await server.send({})).text).toBe('[{"id":1,"name":"Rex","categoryId":1}]')
    expect(({} as Record<string, unknown>)['id']).toBeUndefined()
  },
)

it.for([
  ['"categoryId":1,"categoryId":9007199254740993', '9007199254740993'],
  ['"categoryId":"x","categoryId":1e1', '10'],
  ['"categoryId":{"categoryId":5},"categoryId":9007199254740993', '9007199254740993'],
  ['"categoryId":null,"\\u0063ategoryId":9007199254740993', '9007199254740993'],
] as const)(
  'POST /v1/pets takes the last of fields with the same name in %s',
  async ([fields, kept], { server }) => {
    const response = await server.post(`{"name":"Old","name":"Rex",${fields}}`)
    expect(response.text).toBe(`{"id":1,"name":"Rex","categoryId":${kept}}`)
  },
)

it('a database error is a 500 with one fixed sentence, and its cause is logged', async () => {
  const cause = new Error('disk full at /secret')
  const reject = () => Promise.reject(cause)
  const server = await startTestServer({ repository: failingWith(reject) })
  const responses = [
    await server.post('{"name":"Rex","categoryId":1}'),
    await server.send({}),
    await server.send({ path: '/v1/pets/1' }),
  ]
  const messages = responses.map((response) => expectError(response, 'internal_error'))
  expect(new Set(messages).size).toBe(1)
  expect(messages[0]).not.toContain('secret')
  expect(server.log.internalErrors).toEqual(
    responses.map(({ headers }) => ({ error: cause, requestId: headers['x-request-id'] })),
  )
})

it.for([
  ['"1"', `${CATEGORY_RULE}, got "1"`],
  ['1.5', `${CATEGORY_RULE}, got 1.5`],
  ['100000000000000.0000001', `${CATEGORY_RULE}, got 100000000000000.0000001`],
  ['9223372036854775808', `${CATEGORY_RULE}, got 9223372036854775808`],
  ['1e999999999', `${CATEGORY_RULE}, got 1e999999999`],
  ['9'.repeat(80), CATEGORY_RULE],
  ['null', `${CATEGORY_RULE}, got null`],
  ['[1]', `${CATEGORY_RULE}, got a list`],
  ['{}', `${CATEGORY_RULE}, got an object`],
  ['{"source":"1"}', `${CATEGORY_RULE}, got an object`],
] as const)('POST /v1/pets rejects the category %s', async ([categoryId, message], { server }) => {
  const response = await server.post(`{"name":"Rex","categoryId":${categoryId}}`)
  expect(expectError(response, 'invalid_request')).toBe(message)
})

it.for([
  ['1', 'name must be a string, got 1'],
  ['["Rex"]', 'name must be a string, got a list'],
  ['""', 'name must have a character that is not white space'],
  ['" \\t\\u00a0\\u2003\\ufeff\\u3000"', 'name must have a character that is not white space'],
  ['"a\\u0000b"', 'name must not contain NUL or a lone surrogate'],
  ['"a\\ud800b"', 'name must not contain NUL or a lone surrogate'],
  ['"\\udc00\\ud800"', 'name must not contain NUL or a lone surrogate'],
  [JSON.stringify('😀'.repeat(1001)), 'name must have at most 1000 characters'],
] as const)('POST /v1/pets rejects the name %s', async ([name, message], { server }) => {
  const response = await server.post(`{"name":${name},"categoryId":1}`)
  expect(expectError(response, 'invalid_request')).toContain(message)
})

it.for([
  ['null', `${STATUS_RULE}, got null`],
  ['"Sold"', `${STATUS_RULE}, got "Sold"`],
  ['0', `${STATUS_RULE}, got 0`],
] as const)('POST /v1/pets rejects the status %s', async ([status, message], { server }) => {
  const response = await server.post(`{"name":"Rex","categoryId":1,"status":${status}}`)
  expect(expectError(response, 'invalid_request')).toBe(message)
})
