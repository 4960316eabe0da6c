import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import type { Comparison, Footprint } from '../comparison/comparison.ts'
import type { Measurement } from '../comparison/running.ts'
import { middleOf } from '../measuring/rotation.ts'
import type { Estimate } from '../measuring/statistics.ts'
import { ROOT } from '../servers/contestants.ts'

/** The files of a report, by name. */
export type Report = Readonly<Record<string, string>>

/** What a reader must know to compare figures, or to repeat the run. */
export type Facts = Readonly<
  Record<'command' | 'date' | 'commit' | 'machine' | 'system' | 'cores', string>
>

export function factsOf(cores: string): Facts {
  const info = readFileSync('/proc/cpuinfo', 'utf8')
  const field = (name: string) =>
    new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(info)?.[1] ?? 'unknown'
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  const changes = git('status', '--porcelain') === '' ? '' : ', with changes'
  return {
    command: `\`${['pnpm bench', ...process.argv.slice(2)].join(' ')}\``,
    date: new Date().toISOString().slice(0, 10),
    commit: `${git('rev-parse', '--short', 'HEAD')}${changes}`,
    machine:
      `${field('model name')}, family ${field('cpu family')}, model ${field('model')}, ` +
      `${cpus().length} cores`,
    system:
      `${type()} ${release()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
      `Node ${process.version}`,
    cores,
  }
}

export function factsTable(facts: Facts): string {
  return table(['', ''], Object.entries(facts))
}

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
