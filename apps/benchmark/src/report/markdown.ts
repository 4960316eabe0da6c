import type { Estimate } from '../measuring/statistics.ts'

/** The files of a report, by name. */
export type Report = Readonly<Record<string, string>>

/** A table; the first column is aligned left, figures right. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const ruler = heads.map((_, index) => (index === 0 ? '---' : '---:'))
  return [heads, ruler, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** `0.93 (0.91–0.96)`: the middle and its confidence interval; a dash where there are no values. */
export function estimateText({ middle, low, high }: Estimate, digits = 2): string {
  if (Number.isNaN(middle)) return '–'
  return `${middle.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`
}
