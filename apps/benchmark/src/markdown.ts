import type { Circumstances } from './machine.ts'
import type { Spread } from './statistics.ts'

/** A table; the first column is aligned left, figures right. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const ruler = heads.map((_, index) => (index === 0 ? '---' : '---:'))
  return [heads, ruler, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** `0.93 (0.91–0.96)`; the median, and between which values all rounds lay. */
export function spreadText({ median, lowest, highest }: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`
}

export function circumstancesTable(circumstances: Circumstances): string {
  return ['| | |', '|---|---|', ...circumstances.map(([name, value]) => `| ${name} | ${value} |`)].join('\n')
}
