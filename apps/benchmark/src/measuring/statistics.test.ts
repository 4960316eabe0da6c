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
  [10, 3, 8],
  [20, 7.5, 13.5],
])('gives the 95%% interval of the signed-rank test for %d values from 1 on: %d to %d', (count, low, high) => {
  const values = Array.from({ length: count }, (_, index) => count - index)
  expect(estimate(values)).toEqual({ middle: (count + 1) / 2, low, high })
})

it('is hardly moved by a wild value', () => {
  const { middle } = estimate([1, 1.1, 0.9, 1, 1.05, 0.95, 1, 50])
  expect(middle).toBeGreaterThan(0.95)
  expect(middle).toBeLessThan(1.1)
})

it('leaves the values in their order', () => {
  const values = [3, 1, 2]
  estimate(values)
  expect(values).toEqual([3, 1, 2])
})
