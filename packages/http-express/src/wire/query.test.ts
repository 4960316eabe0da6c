import { expect, it } from 'vitest'
import { queryParameters } from './query.ts'

it.each([
  ['/v1/pets', {}],
  ['/v1/pets?', {}],
  ['/v1/pets?limit=1&status=sold', { limit: '1', status: 'sold' }],
  ['/v1/pets?limit=%31&a+b=c+d', { limit: '1', 'a b': 'c d' }],
  ['/v1/pets?&&limit', { limit: '' }],
  ['/v1/pets?limit=1&limit=2&limit=3', { limit: ['1', '2', '3'] }],
  ['/v1/pets?a=b=c', { a: 'b=c' }],
  ['/v1/pets?a=%zz&b=%ff', { a: '%zz', b: '\ufffd' }],
])('the query of %s has the parameters %j', (url, parameters) => {
  expect({ ...queryParameters(url) }).toEqual(parameters)
})
