import { expect, it } from 'vitest'
import { parseDuration } from './parse.ts'

it.each([
  ['0s', 0],
  ['30s', 30_000],
  ['5m', 300_000],
  ['24h', 86_400_000],
  ['90d', 7_776_000_000],
])('%s is %d milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

it.each(['', '90', 'd', '1w', '-1d', '1.5h', '1d1h', ' 1d', '1 d', '1D', '1000000d', '१d'])('%j is none', (text) => {
  expect(() => parseDuration(text)).toThrow(RangeError)
})
