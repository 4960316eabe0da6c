import { describe, expect, it } from 'vitest'
import { median, quantile, ratios, spread } from './statistics.ts'

describe('statistics', () => {
  it('finds the value that a part of all values does not exceed', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index)
    expect([quantile(values, 0), quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1)]).toEqual([
      1, 50, 99, 100,
    ])
    expect(quantile([], 0.5)).toBeNaN()
  })

  it('takes the middle, or the mean of the two in the middle', () => {
    expect(median([9, 1, 3])).toBe(3)
    expect(median([9, 1, 3, 5])).toBe(4)
    expect(median([10, 9])).toBe(9.5)
    expect(median([])).toBeNaN()
  })

  it('leaves the values as they were', () => {
    const values = [3, 1, 2]
    spread(values)
    quantile(values, 0.5)
    expect(values).toEqual([3, 1, 2])
  })

  it('compares round by round, so that a slow round of both is no slowness of one', () => {
    expect(ratios([50, 100, 10], [100, 200, 20])).toEqual({ median: 0.5, lowest: 0.5, highest: 0.5 })
    expect(ratios([90, 110, 100], [100, 100, 100])).toEqual({ median: 1, lowest: 0.9, highest: 1.1 })
  })

  it('refuses to compare what was not measured in the same rounds', () => {
    expect(() => ratios([1, 2], [1])).toThrow(RangeError)
  })
})
