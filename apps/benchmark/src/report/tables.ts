import type { Comparison, Footprint } from '../comparison/comparison.ts'
import type { Measurement } from '../comparison/running.ts'
import { middleOf } from '../measuring/rotation.ts'
import type { Estimate } from '../measuring/statistics.ts'

/** A table; the first column is aligned left, figures right. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const ruler = heads.map((_, index) => (index === 0 ? '---' : '---:'))
  return [heads, ruler, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/**
 * A row for each contestant, a column for each operation, and then these figures of its start and
 * memory.
 */
export function comparisonTable(
  { operations, measurements, footprints }: Comparison,
  cell: (measurement: Measurement) => string,
  more: Readonly<Record<string, (footprint: Footprint) => string>> = {},
): string {
  return table(
    ['', ...operations.map(({ title }) => title), ...Object.keys(more)],
    footprints.map((footprint) => [
      footprint.contestant.name,
      ...measurements.filter(({ contestant }) => contestant === footprint.contestant).map(cell),
      ...Object.values(more).map((figure) => figure(footprint)),
    ]),
  )
}

/** Columns of what a server costs besides CPU time. */
export const COSTS = {
  'first response, ms': ({ firstResponseMs }: Footprint) => firstResponseMs.toFixed(0),
  'at rest–highest, MiB': ({ restMiB, peakMiB }: Footprint) =>
    `${restMiB.toFixed(0)}–${peakMiB.toFixed(0)}`,
}

/** CPU time in microseconds, of the server and where it is known of the database server. */
export function timesText({ series }: Measurement): string {
  const both = (['cpuMicroseconds', 'databaseMicroseconds'] as const).map((figure) =>
    middleOf(series.slices, figure),
  )
  return both.flatMap((time) => (Number.isNaN(time) ? [] : time.toFixed(0))).join('+')
}

/** `0.93 (0.91–0.96)`: the middle and its confidence interval. */
export function estimateText({ middle, low, high }: Estimate): string {
  return `${middle.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
}
