/** What several rounds said: the middle, and how far they lay apart. */
export interface Spread {
  readonly median: number
  readonly lowest: number
  readonly highest: number
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

export function spread(values: readonly number[]): Spread {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values) }
}

/**
 * How many times the other's figures these are, compared within each round: whatever slowed the machine down in one
 * round slowed both.
 */
export function ratios(figures: readonly number[], others: readonly number[]): Spread {
  if (figures.length !== others.length) throw new RangeError('The two were not measured in the same rounds.')
  return spread(figures.map((figure, round) => figure / (others[round] ?? Number.NaN)))
}
