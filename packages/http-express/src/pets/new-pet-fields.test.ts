import { describe, expect } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { it } from '../testing/start-test-server.test-support.ts'

const CATEGORY_RULE = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'
const STATUS_RULE = 'status must be one of available, pending, sold'

describe('a field of a new pet', () => {
  it.for([
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
  ] as const)('rejects the category %s', async ([categoryId, message], { server }) => {
    const response = await server.post(`{"name":"Rex","categoryId":${categoryId}}`)
    expect(expectError(response, 'invalid_request')).toBe(message)
  })

  it.for([
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
  ] as const)('rejects the name %s', async ([name, message], { server }) => {
    const response = await server.post(`{"name":${name},"categoryId":1}`)
    expect(expectError(response, 'invalid_request')).toContain(message)
  })

  it.for([
    'x'.repeat(1000),
    '😀'.repeat(1000),
    ' Rex ',
    'e\u0301',
    '\u200b',
    '\u0001',
    'a\u2028\u2029',
    '"\\/\b\f\n\r\t',
    '\u{10ffff}',
    '\u007f',
  ])('keeps the name %j as it is', async (name, { server }) => {
    const response = await server.post(JSON.stringify({ name, categoryId: 1 }))
    expect(response.status).toBe(201)
    expect(JSON.parse(response.text).name).toBe(name)
    expect(JSON.parse((await server.send({})).text)[0].name).toBe(name)
  })

  it.for([
    ['null', `${STATUS_RULE}, got null`],
    ['"Sold"', `${STATUS_RULE}, got "Sold"`],
    ['""', `${STATUS_RULE}, got ""`],
    ['0', `${STATUS_RULE}, got 0`],
    ['["sold"]', `${STATUS_RULE}, got a list`],
  ] as const)('rejects the status %s', async ([status, message], { server }) => {
    const response = await server.post(`{"name":"Rex","categoryId":1,"status":${status}}`)
    expect(expectError(response, 'invalid_request')).toBe(message)
  })
})
