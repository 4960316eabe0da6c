/** The middle of some values, and the interval that holds the true one with 95% confidence. */
export interface Estimate {
  readonly middle: number
  readonly low: number
  readonly high: number
}

/**
 * Estimates the middle as the median of the means of all pairs (Hodges and Lehmann), which a few
 * outliers hardly move and which uses the others better than the median does. The interval is
 * that of Wilcoxon's signed-rank test. With fewer than six values it is from the lowest to the
 * highest, which is less than 95%.
 */
export function estimate(values: readonly number[]): Estimate {
  const { length } = values
  const means = Float64Array.from(
    values.flatMap((one, at) => values.slice(at).map((other) => (one + other) / 2)),
  ).sort()
  const upper = means.length / 2
  const middle =
    ((means[Math.ceil(upper) - 1] ?? Number.NaN) + (means[Math.floor(upper)] ?? Number.NaN)) / 2
  if (length < 6) return { middle, low: Math.min(...values), high: Math.max(...values) }
  const deviation = Math.sqrt((length * (length + 1) * (2 * length + 1)) / 24)
  const skipped = Math.max(0, Math.round((length * (length + 1)) / 4 - 1.96 * deviation) - 1)
  return { middle, low: means.at(skipped) as number, high: means.at(-1 - skipped) as number }
}
