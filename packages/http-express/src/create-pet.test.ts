import { describe, expect, it } from 'vitest'
import { expectError } from './expect-error.test-support.ts'
import { startTestServer } from './start-test-server.test-support.ts'

const CATEGORY_RULE = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'
const STATUS_RULE = 'status must be one of available, pending, sold'

describe('POST /v1/pets', () => {
  it('answers 201 with the whole pet and the place where it is', async () => {
    const server = await startTestServer()
    const answer = await server.post('{"name":"Rex","categoryId":7,"status":"pending"}')
    expect(answer).toMatchObject({ status: 201, text: '{"id":1,"name":"Rex","categoryId":7,"status":"pending"}' })
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    const location = new URL(String(answer.headers['location']), 'http://localhost/prefix/v1/pets')
    expect(location.pathname).toBe('/prefix/v1/pets/1')
    const found = await server.send({ path: '/v1/pets/1' })
    expect(found.text).toBe(answer.text)
  })

  it('leaves a status that nobody gave out of every answer', async () => {
    const server = await startTestServer()
    const answer = await server.post('{"name":"Rex","categoryId":7}')
    expect(answer.text).toBe('{"id":1,"name":"Rex","categoryId":7}')
    expect((await server.send({})).text).toBe('[{"id":1,"name":"Rex","categoryId":7}]')
    expect((await server.send({ path: '/v1/pets/1' })).text).toBe('{"id":1,"name":"Rex","categoryId":7}')
  })

  it('makes two pets of two equal requests', async () => {
    const server = await startTestServer()
    const first = await server.post('{"name":"Rex","categoryId":7}')
    const second = await server.post('{"name":"Rex","categoryId":7}')
    expect([first.text, second.text]).toEqual(['{"id":1,"name":"Rex","categoryId":7}', '{"id":2,"name":"Rex","categoryId":7}'])
  })

  it.each([
    '0',
    '-0',
    '-1',
    '999999999999999',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '1152921504606846977',
    '9223372036854775806',
    '9223372036854775807',
    '-9223372036854775807',
    '-9223372036854775808',
  ])('keeps the category %s exact', async (categoryId) => {
    const server = await startTestServer()
    const answer = await server.post(`{"name":"Rex","categoryId":${categoryId}}`)
    expect(answer.text).toBe(`{"id":1,"name":"Rex","categoryId":${categoryId === '-0' ? '0' : categoryId}}`)
  })

  it.each([
    ['1.0', '1'],
    ['1e3', '1000'],
    ['10e-1', '1'],
    ['1E+2', '100'],
    ['-2.50e1', '-25'],
    ['0e999999999', '0'],
    ['-0.000', '0'],
    ['922337203685477580.7e1', '9223372036854775807'],
    ['9223372036854775807.0', '9223372036854775807'],
    ['-92233720368547758080e-1', '-9223372036854775808'],
  ])('takes %s as the integer %s', async (written, kept) => {
    const server = await startTestServer()
    const answer = await server.post(`{"name":"Rex","categoryId":${written}}`)
    expect(answer.text).toBe(`{"id":1,"name":"Rex","categoryId":${kept}}`)
  })

  it.each([
    ['"1"', `${CATEGORY_RULE}, got "1"`],
    ['1.5', `${CATEGORY_RULE}, got 1.5`],
    ['1e-1', `${CATEGORY_RULE}, got 1e-1`],
    ['100000000000000.0000001', `${CATEGORY_RULE}, got 100000000000000.0000001`],
    ['9223372036854775808', `${CATEGORY_RULE}, got 9223372036854775808`],
    ['-9223372036854775809', `${CATEGORY_RULE}, got -9223372036854775809`],
    ['922337203685477580.8e1', `${CATEGORY_RULE}, got 922337203685477580.8e1`],
    ['1e999999999', `${CATEGORY_RULE}, got 1e999999999`],
    ['-1e19', `${CATEGORY_RULE}, got -1e19`],
    ['9'.repeat(80), CATEGORY_RULE],
    ['null', `${CATEGORY_RULE}, got null`],
    ['true', `${CATEGORY_RULE}, got true`],
    ['[1]', `${CATEGORY_RULE}, got a list`],
    ['{}', `${CATEGORY_RULE}, got an object`],
    ['{"source":"1"}', `${CATEGORY_RULE}, got an object`],
  ])('refuses the category %s', async (categoryId, message) => {
    const server = await startTestServer()
    const answer = await server.post(`{"name":"Rex","categoryId":${categoryId}}`)
    expect(expectError(answer, 'invalid_request')).toBe(message)
  })

  it.each([
    ['1', 'name must be a string, got 1'],
    ['null', 'name must be a string, got null'],
    ['["Rex"]', 'name must be a string, got a list'],
    ['""', 'name must have a character that is not white space'],
    ['" \\t\\u00a0\\u2003\\ufeff\\u3000"', 'name must have a character that is not white space'],
    ['"a\\u0000b"', 'name must not contain NUL or a lone surrogate'],
    ['"a\\ud800b"', 'name must not contain NUL or a lone surrogate'],
    ['"\\udc00\\ud800"', 'name must not contain NUL or a lone surrogate'],
    [JSON.stringify('x'.repeat(1001)), 'name must have at most 1000 characters'],
    [JSON.stringify('😀'.repeat(1001)), 'name must have at most 1000 characters'],
  ])('refuses the name %s', async (name, message) => {
    const server = await startTestServer()
    const answer = await server.post(`{"name":${name},"categoryId":1}`)
    expect(expectError(answer, 'invalid_request')).toContain(message)
  })

  it.each(['x'.repeat(1000), '😀'.repeat(1000), ' Rex ', 'e\u0301', '\u200b', '\u0001', 'a\u2028\u2029', '"\\/\b\f\n\r\t', '\u{10ffff}', '\u007f'])(
    'keeps the name %j as it is',
    async (name) => {
      const server = await startTestServer()
      const answer = await server.post(JSON.stringify({ name, categoryId: 1 }))
      expect(answer.status).toBe(201)
      expect(JSON.parse(answer.text).name).toBe(name)
      expect(JSON.parse((await server.send({})).text)[0].name).toBe(name)
    },
  )

  it.each([
    ['null', `${STATUS_RULE}, got null`],
    ['"Sold"', `${STATUS_RULE}, got "Sold"`],
    ['""', `${STATUS_RULE}, got ""`],
    ['0', `${STATUS_RULE}, got 0`],
    ['["sold"]', `${STATUS_RULE}, got a list`],
  ])('refuses the status %s', async (status, message) => {
    const server = await startTestServer()
    const answer = await server.post(`{"name":"Rex","categoryId":1,"status":${status}}`)
    expect(expectError(answer, 'invalid_request')).toBe(message)
  })

  it.each([
    ['{}', 'name is required; categoryId is required'],
    ['{"name":"Rex"}', 'categoryId is required'],
    ['{"categoryId":1}', 'name is required'],
    ['{"Name":"Rex","categoryid":1}', 'name is required; categoryId is required'],
    ['{"__proto__":{"name":"Rex","categoryId":1}}', 'name is required; categoryId is required'],
    ['{"constructor":{"prototype":{"name":"Rex"}},"categoryId":1}', 'name is required'],
    ['{"name":1,"categoryId":"x","status":2}', `name must be a string, got 1; ${CATEGORY_RULE}, got "x"; ${STATUS_RULE}, got 2`],
  ])('names every field at fault in %s', async (body, message) => {
    const server = await startTestServer()
    expect(expectError(await server.post(body), 'invalid_request')).toBe(message)
  })

  it.each([
    ['[]', 'the body must be a JSON object, got a list'],
    ['null', 'the body must be a JSON object, got null'],
    ['"x"', 'the body must be a JSON object, got "x"'],
    ['12', 'the body must be a JSON object, got 12'],
    ['9007199254740993', 'the body must be a JSON object, got 9007199254740993'],
    ['1.5', 'the body must be a JSON object'],
    ['1e999', 'the body must be a JSON object'],
    ['true', 'the body must be a JSON object, got true'],
    ['[{"name":"Rex","categoryId":1}]', 'the body must be a JSON object, got a list'],
  ])('refuses the body %s, which is no object', async (body, message) => {
    const server = await startTestServer()
    expect(expectError(await server.post(body), 'invalid_request')).toBe(message)
  })

  it.each([
    '"__proto__":{"id":5}',
    '"constructor":1,"prototype":2,"toString":3,"hasOwnProperty":4',
    '"id":99',
    '"price":1e999,"tags":["a",1.0,9007199254740993]',
    '"":0',
  ])('ignores the unknown fields %s, never stores or echoes them', async (fields) => {
    const server = await startTestServer()
    const answer = await server.post(`{"name":"Rex","categoryId":1,${fields}}`)
    expect(answer).toMatchObject({ status: 201, text: '{"id":1,"name":"Rex","categoryId":1}' })
    expect((await server.send({})).text).toBe('[{"id":1,"name":"Rex","categoryId":1}]')
    expect(({} as Record<string, unknown>)['id']).toBeUndefined()
  })

  it.each([
    ['"categoryId":1,"categoryId":2', '2'],
    ['"categoryId":9007199254740993,"categoryId":2', '2'],
    ['"categoryId":1,"categoryId":9007199254740993', '9007199254740993'],
    ['"categoryId":1.5,"categoryId":9007199254740995', '9007199254740995'],
    ['"categoryId":9007199254740993,"categoryId":9007199254740995', '9007199254740995'],
    ['"categoryId":"x","categoryId":1e1', '10'],
    ['"categoryId":{"categoryId":5},"categoryId":9007199254740993', '9007199254740993'],
    ['"categoryId":null,"\\u0063ategoryId":9007199254740993', '9007199254740993'],
  ])('lets the last of duplicate names count in %s', async (fields, kept) => {
    const server = await startTestServer()
    const answer = await server.post(`{"name":"Old","name":"Rex",${fields}}`)
    expect(answer.text).toBe(`{"id":1,"name":"Rex","categoryId":${kept}}`)
  })

  it('stores nothing of a refused request', async () => {
    const server = await startTestServer()
    await server.post('{"name":"Rex","categoryId":1.5}')
    await server.post('{"name":"","categoryId":1}')
    expect((await server.send({})).text).toBe('[]')
  })

  it('answers a fault of the storage with one fixed sentence and logs the cause', async () => {
    const cause = new Error('disk full at /secret')
    const reject = () => Promise.reject(cause)
    const server = await startTestServer({ repository: { add: reject, find: reject, list: reject } })
    const answers = [
      await server.post('{"name":"Rex","categoryId":1}'),
      await server.send({}),
      await server.send({ path: '/v1/pets/1' }),
    ]
    const messages = answers.map((answer) => expectError(answer, 'internal_error'))
    expect(new Set(messages).size).toBe(1)
    expect(messages[0]).not.toContain('secret')
    expect(server.log.faults).toEqual(answers.map(({ headers }) => ({ error: cause, requestId: headers['x-request-id'] })))
  })
})
