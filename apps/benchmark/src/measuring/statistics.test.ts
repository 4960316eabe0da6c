import { expect, it } from 'vitest'
import { estimate, median, quantile } from './statistics.ts'

it('finds the value that a part of all values does not exceed', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect([0, 0.5, 0.99, 1].map((part) => quantile(values, part))).toEqual([1, 50, 99, 100])
  expect(quantile([], 0.5)).toBeNaN()
})

it('takes the value in the middle, or the mean of the two in the middle', () => {
  expect([median([9, 1, 3]), median([9, 1, 3, 5]), median([])]).toEqual([3, 4, Number.NaN])
})

it.each([
  [5, 1, 5],
  [6, 1, 6],
  [9, 2, 8],
  [12, 3, 10],
  [20, 6, 15],
])('gives the 95%% interval of the sign test for %d values: from value %d to value %d', (count, low, high) => {
  // The ranks are those of published tables for the median.
  const values = Array.from({ length: count }, (_, index) => count - index)
  expect(estimate(values)).toMatchObject({ low, high })
})

it('leaves the values in their order', () => {
  const values = [3, 1, 2]
  estimate(values)
  expect(values).toEqual([3, 1, 2])
})
