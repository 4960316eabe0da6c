import type { Comparison, Measurement } from '../comparison/comparison.ts'
import { type Figure, figureOf, ratio } from '../measuring/rotation.ts'
import type { Slice } from '../measuring/slice.ts'
import { OPERATIONS } from '../requests/operations.ts'
import { CONTESTANTS, DATABASE_NAMES, DATABASES, type Database, peerVersions } from '../servers/contestants.ts'
import { type Machine, rangeOf } from './machines.ts'
import { estimateText, type Facts, factsTable, type Report, table } from './page.ts'
import { rangeSvg } from './range-svg.ts'

const TITLE = 'requests for the same CPU time, times those of the bare server'

const REQUESTS: Figure<Slice> = ({ requestsPerSecond }) => requestsPerSecond
const CPU: Figure<Slice> = ({ cpuMicroseconds }) => cpuMicroseconds
const PER_CPU: Figure<Slice> = ({ cpuMicroseconds }) => 1 / cpuMicroseconds

/** What holds on all machines first, then the run on this one. */
export function comparisonReport(
  comparisons: readonly Comparison[],
  machines: readonly Machine[],
  facts: Facts,
): Report {
  const pictures = DATABASES.map((database) => [`${database}.svg`, picture(machines, database)] as const)
  const page = [
    '# How fast Pet Store is',
    'Made by the command below; [how to read it](../../apps/benchmark/README.md).',
    ...DATABASES.map((database) => `![${DATABASE_NAMES[database]}: ${TITLE}](${database}.svg)`),
    '## Where it holds',
    'A ratio repeats on the machine where it was measured, not on another one: what grouping requests saves depends on what system calls and wake-ups cost there. So each figure is a range over these machines, and a claim is its lower end.',
    table(
      ['machine', 'date', 'commit', 'from'],
      machines.map((one) => [one.machine, one.date, one.commit, one.source]),
    ),
    ...DATABASES.flatMap((database) => [
      `### Pet Store on ${DATABASE_NAMES[database]}`,
      rangeTable(machines, database),
    ]),
    '## This run',
    factsTable(facts),
    ...comparisons.flatMap(section),
    ...latencySection(comparisons),
    '## Versions',
    peerVersions(),
  ]
  return { 'report.md': `${page.join('\n\n')}\n`, ...Object.fromEntries(pictures) }
}

function picture(machines: readonly Machine[], database: Database): string {
  const panels = OPERATIONS.map(({ id, title }) => ({
    title,
    bars: CONTESTANTS[database].slice(1).flatMap((contestant) => {
      const range = rangeOf(machines, database, contestant.id, id, 'cpu')
      return range ? [{ name: contestant.name, isOurs: contestant.role === 'service', ...range }] : []
    }),
  }))
  return rangeSvg(`${DATABASE_NAMES[database]}: ${TITLE}; lowest and highest of ${machines.length} machines`, panels)
}

function rangeTable(machines: readonly Machine[], database: Database): string {
  const rows = OPERATIONS.map(({ id, title }) => {
    const cell = (figure: 'cpu' | 'throughput' | 'own' | 'p99', digits: number) => {
      const range = rangeOf(machines, database, 'pet-store', id, figure)
      return range ? [...new Set([range.low.toFixed(digits), range.high.toFixed(digits)])].join(' to ') : ''
    }
    return [title, cell('cpu', 2), cell('throughput', 2), cell('own', 0), cell('p99', 1)]
  })
  return table(['', 'per CPU time', 'throughput', 'own work, µs', 'p99 at half of the peak'], rows)
}

function section({ database, server, contestants, operations, measurements, footprints }: Comparison): string[] {
  const contestantTable = (cell: (measurement: Measurement) => string) =>
    table(
      ['', ...operations.map(({ title }) => title)],
      contestants.map((contestant) => [
        contestant.name,
        ...measurements.filter((one) => one.contestant === contestant).map(cell),
      ]),
    )
  return [
    `### ${DATABASE_NAMES[database]}`,
    ...(server === undefined ? [] : [server]),
    `Requests for the same CPU time, times those of ${contestants[0]?.name}:`,
    contestantTable(({ contestant, series }) => {
      const found = ratio(series, PER_CPU)
      return contestant === contestants[1] ? estimateText(found) : found.middle.toFixed(2)
    }),
    'Throughput in the same way:',
    contestantTable(({ series }) => ratio(series, REQUESTS).middle.toFixed(2)),
    `CPU time of one request, µs${database === 'postgres' ? ', and that of PostgreSQL' : ''}:`,
    contestantTable(({ series }) => {
      const postgres = figureOf(series, ({ databaseMicroseconds }) => databaseMicroseconds).middle
      return figureOf(series, CPU).middle.toFixed(0) + (Number.isNaN(postgres) ? '' : `+${postgres.toFixed(0)}`)
    }),
    table(
      ['', 'first response, ms', 'at rest, MiB', 'highest, MiB'],
      footprints.map(({ contestant, ...times }) => [
        contestant.name,
        ...[times.firstResponseMs, times.restMiB, times.peakMiB].map((value) => value.toFixed(0)),
      ]),
    ),
  ]
}

function latencySection(comparisons: readonly Comparison[]): string[] {
  const rows = comparisons.flatMap(({ database, latency }) =>
    latency.map(({ contestant, part, requestsPerSecond, series }) => [
      `${DATABASE_NAMES[database]}, ${part * 100}%, ${requestsPerSecond.toFixed(0)}/s: ${contestant.name}`,
      figureOf(series, ({ p50Ms }) => p50Ms).middle.toFixed(2),
      estimateText(figureOf(series, ({ p99Ms }) => p99Ms)),
      ratio(series, ({ p99Ms }) => p99Ms).middle.toFixed(1),
    ]),
  )
  if (rows.length === 0) return []
  return [
    '## Latency',
    'Milliseconds for mixed requests at random planned times, counted from those, at parts of what the slower of Pet Store and the bare server serves at most. Each figure is the middle of those of half a second each.',
    table(['', 'p50', 'p99', 'p99, times the bare server'], rows),
  ]
}
