import { afterEach, expect, it, vi } from 'vitest'
import { petOfUrl } from './list-page.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

it.for([
  ['?pet=40', '40'],
  ['?pet=-9223372036854775808&status=sold', '-9223372036854775808'],
  ['?status=sold', undefined],
  ['?pet=', undefined],
  ['?pet=Rex', undefined],
  ['?pet=1.5', undefined],
])('the pet of the URL %j is %j', ([search, id]) => {
  vi.stubGlobal('location', { search })
  expect(petOfUrl()).toBe(id)
})
