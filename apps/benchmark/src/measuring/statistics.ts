/** The median of some values, and the interval that holds the true median with 95% confidence. */
export interface Estimate {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** The value that this part of all values does not exceed; `NaN` for none. */
export function quantile(values: readonly number[] | Float64Array, part: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}

/**
 * Estimates a median without assuming how the values are distributed: the interval is that of the sign test. With fewer
 * than six values it is from the lowest to the highest, which is less than 95%.
 */
export function estimate(values: readonly number[]): Estimate {
  const sorted = Float64Array.from(values).sort()
  const skipped = skippedAtEachEnd(sorted.length)
  return {
    median: median(values),
    low: sorted[skipped] ?? Number.NaN,
    high: sorted[sorted.length - 1 - skipped] ?? Number.NaN,
  }
}

/** How many of the lowest values, and of the highest, a binomial test rules out as the median with 95% confidence. */
function skippedAtEachEnd(count: number): number {
  let skipped = 0
  let probability = 0.5 ** count
  for (let below = probability; below + nextTerm() <= 0.025; below += probability) {
    probability = nextTerm()
    skipped += 1
  }
  return skipped

  function nextTerm(): number {
    return (probability * (count - skipped)) / (skipped + 1)
  }
}
