import { expect, it } from 'vitest'
import { allocatedBytes } from '../testing/allocated-bytes.test-support.ts'
import { assertNoParameters, queryParameters } from './request-input.ts'

it.each([
  ['/v1/pets', {}],
  ['/v1/pets?', {}],
  ['/v1/pets?limit=1&status=sold', { limit: '1', status: 'sold' }],
  ['/v1/pets?limit=%31&a+b=c+d', { limit: '1', 'a b': 'c d' }],
  ['/v1/pets?&&limit', { limit: '' }],
  ['/v1/pets?limit=1&limit=2&limit=3', { limit: ['1', '2', '3'] }],
  ['/v1/pets?a=b=c', { a: 'b=c' }],
  ['/v1/pets?a=%zz&b=%ff', { a: '%zz', b: '\ufffd' }],
])('parses the query of %s', (url, parameters) => {
  expect({ ...queryParameters(url) }).toEqual(parameters)
})

it('gives no name of an object a meaning', () => {
  const parameters = queryParameters('/?__proto__=1&constructor=2&hasOwnProperty=3')
  expect(Object.entries(parameters)).toEqual([
    ['__proto__', '1'],
    ['constructor', '2'],
    ['hasOwnProperty', '3'],
  ])
  expect(() => assertNoParameters('/?__proto__=1', true)).toThrow('__proto__')
})

it.each([
  ['one name without a value', (count: number) => 'a&'.repeat(count)],
  ['one name with a value', (count: number) => 'limit=1&'.repeat(count)],
  ['encoded names', (count: number) => '%61=%62&'.repeat(count)],
  ['different names', (count: number) => Array.from({ length: count }, (_, index) => `a${index}`).join('&')],
])('takes memory in proportion to the query: %s', async (_name, query) => {
  const bytes = (count: number) => allocatedBytes(() => queryParameters(`/?${query(count)}`))
  // Quadratic would be sixteen times as much.
  expect(await bytes(8_000)).toBeLessThan(8 * (await bytes(2_000)))
})
