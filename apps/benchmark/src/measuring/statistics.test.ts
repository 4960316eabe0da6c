import { expect, it } from 'vitest'
import { estimate } from './statistics.ts'

it.each([
  [1, 1, 1],
  [5, 1, 5],
  [6, 1, 6],
  [10, 3, 8],
  [20, 7.5, 13.5],
])(
  'the signed-rank test gives the 95%% interval for %d values from 1 on: %d to %d',
  (count, low, high) => {
    const values = Array.from({ length: count }, (_, index) => count - index)
    expect(estimate(values)).toEqual({ middle: (count + 1) / 2, low, high })
    expect(values[0], 'the values stay in their order').toBe(count)
  },
)

it('an outlier hardly changes the middle of an estimate', () => {
  const { middle } = estimate([1, 1.1, 0.9, 1, 1.05, 0.95, 1, 50])
  expect(middle).toBeGreaterThan(0.95)
  expect(middle).toBeLessThan(1.1)
})
