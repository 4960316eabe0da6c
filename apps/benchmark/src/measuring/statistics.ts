/** The middle of some values, and the interval that holds the true one with 95% confidence. */
export interface Estimate {
  readonly middle: number
  readonly low: number
  readonly high: number
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The value that this part of all values does not exceed; `NaN` for none. */
export function quantile(values: readonly number[] | Float64Array, part: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
}

export function median(values: readonly number[] | Float64Array): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}

/**
 * Estimates the middle as the median of the means of all pairs (Hodges and Lehmann), which a few wild values hardly
 * move and which uses the others better than the median does. The interval is that of Wilcoxon's signed-rank test. With
 * fewer than six values it is from the lowest to the highest, which is less than 95%.
 */
export function estimate(values: readonly number[]): Estimate {
  const { length } = values
  if (length < 6) return { middle: median(pairMeans(values)), low: Math.min(...values), high: Math.max(...values) }
  const means = pairMeans(values)
  const deviation = Math.sqrt((length * (length + 1) * (2 * length + 1)) / 24)
  const skipped = Math.max(0, Math.round((length * (length + 1)) / 4 - 1.96 * deviation) - 1)
  return { middle: median(means), low: means.at(skipped) as number, high: means.at(-1 - skipped) as number }
}

/** The means of each value with itself and with each other one, ascending. */
function pairMeans(values: readonly number[]): Float64Array {
  return Float64Array.from(values.flatMap((one, index) => values.slice(index).map((other) => (one + other) / 2))).sort()
}
