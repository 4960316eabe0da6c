import { countsInstructions } from '../measuring/event-counter.ts'
import { type Figure, figureOf, ratio } from '../measuring/rotation.ts'
import { estimate, median } from '../measuring/statistics.ts'
import { type BarPanel, barsSvg } from '../report/bars-svg.ts'
import { type Circumstances, circumstancesTable } from '../report/circumstances.ts'
import { estimateText, type Report, table } from '../report/markdown.ts'
import type { Operation } from '../requests/operations.ts'
import { type Contestant, DATABASE_NAMES } from '../servers/contestants.ts'
import type { Comparison, Measurement } from './comparison.ts'

/** The ratios of our service in an earlier run, by names such as `sqlite list CPU`. */
export type Ratios = Readonly<Record<string, number>>

const FIGURES: Readonly<Record<'CPU' | 'throughput', Figure>> = {
  // Instructions repeat within a few per cent; time is what is left where the machine does not count them.
  CPU: ({ cpuMicroseconds, instructions = cpuMicroseconds }) => 1 / instructions,
  throughput: ({ requestsPerSecond }) => requestsPerSecond,
}

const CPU_UNIT = countsInstructions ? 'instruction' : 'second of CPU time'

/** Two runs agree on a ratio when they differ by less than this part of it. */
const AGREEMENT = 0.1

/** Ratios first, then the figures behind them. */
export function comparisonReport(
  comparisons: readonly Comparison[],
  circumstances: Circumstances,
  versions: readonly string[],
  earlier?: Ratios,
): Report {
  const page = [
    '# How fast Pet Store is',
    'Made by the command below; [how to read it](../../apps/benchmark/README.md).',
    circumstancesTable(circumstances),
    ...comparisons.flatMap((comparison) => section(comparison, earlier)),
    '## Versions',
    versions.join(', '),
  ]
  const pictures = comparisons.map((comparison) => [pictureName(comparison), picture(comparison)])
  return { 'report.md': `${page.join('\n\n')}\n`, ...Object.fromEntries(pictures) }
}

/** The ratios of our service, for the next run to agree with. */
export function serviceRatios(comparisons: readonly Comparison[]): Ratios {
  return Object.fromEntries(
    comparisons.flatMap((comparison) =>
      ofService(comparison).flatMap((measurement) =>
        Object.entries(FIGURES).map(([name, figure]) => [
          `${comparison.database} ${measurement.operation.id} ${name}`,
          ratio(measurement.series, figure).median,
        ]),
      ),
    ),
  )
}

function section(comparison: Comparison, earlier: Ratios | undefined): string[] {
  const title = DATABASE_NAMES[comparison.database]
  const [first] = comparison.measurements
  return [
    `## ${title}`,
    ...(comparison.server === undefined ? [] : [`On ${comparison.server}.`]),
    `![${pictureTitle(comparison)}](${pictureName(comparison)})`,
    disturbance(comparison),
    `### Requests per ${CPU_UNIT}, ${title}`,
    `Against ${first?.contestant.name}: the median of the ratios of neighbouring slices, and its confidence interval.`,
    ratioTable(comparison, FIGURES.CPU),
    `### Requests per second, ${title}`,
    `The same for throughput, with client and database on other cores than the server. Creation waits for the disk, where one fsync took ${estimateText(estimate(comparison.fsyncMs))} ms.`,
    ratioTable(comparison, FIGURES.throughput, pgbenchRow(comparison)),
    ...(comparison.database === 'postgres' && comparison.pgbench === undefined
      ? ['pgbench is not installed here, so the rate of PostgreSQL alone is left out.']
      : []),
    ...agreement(comparison, earlier),
    `### Figures, ${title}`,
    'Medians of all slices. A request waits for the others of its 32 connections, so latency is the inverse of throughput.',
    figureTable(comparison),
    `### Start and memory, ${title}`,
    footprintTable(comparison),
  ]
}

function disturbance({ measurements }: Comparison): string {
  const disturbed = measurements.reduce((sum, { series }) => sum + series.disturbed, 0)
  const used = measurements.reduce((sum, { series }) => sum + series.slices.length, 0)
  return `${used} slices were used. ${disturbed} were thrown away, because the host or another program took the core away meanwhile.`
}

function ratioTable(comparison: Comparison, figure: Figure, more: readonly (readonly string[])[] = []): string {
  const columns = operations(comparison)
  const rows = contestants(comparison).map((contestant) => [
    contestant.id === 'pet-store' ? `**${contestant.name}**` : contestant.name,
    ...columns.map((operation) => {
      const found = find(comparison, contestant, operation)
      return found === undefined ? '' : estimateText(ratio(found.series, figure))
    }),
  ])
  return table(['', ...columns.map(({ title }) => title)], [...rows, ...more])
}

/** The rate of the database alone; it has no CPU time of a server. */
function pgbenchRow(comparison: Comparison): string[][] {
  const { pgbench } = comparison
  if (pgbench === undefined) return []
  const cells = operations(comparison).map((operation) => {
    const rates = pgbench.get(operation.id)
    const baseline = comparison.measurements.find((measurement) => measurement.operation === operation)
    if (rates === undefined || baseline === undefined) return ''
    const bare = figureOf(baseline.series, FIGURES.throughput).median
    return estimateText(estimate(rates.map((rate) => rate / bare)))
  })
  return [['pgbench: PostgreSQL alone', ...cells]]
}

/** Beside an earlier run, so that a reader sees which figures repeat. */
function agreement(comparison: Comparison, earlier: Ratios | undefined): string[] {
  if (earlier === undefined) return []
  const rows = Object.entries(serviceRatios([comparison])).map(([name, now]) => {
    const before = earlier[name]
    if (before == null || Number.isNaN(now)) return [name, now.toFixed(2), '', '', '']
    const difference = Math.abs(now - before) / Math.max(now, before)
    const verdict = difference < AGREEMENT ? 'yes' : 'no'
    return [name, now.toFixed(2), before.toFixed(2), `${(difference * 100).toFixed(0)}%`, verdict]
  })
  return [
    `### Two runs of Pet Store, ${DATABASE_NAMES[comparison.database]}`,
    'Ratios of this run and of the one before it. A figure is quoted elsewhere only when both agree within 10%.',
    table(['', 'this run', 'the run before', 'difference', 'agree'], rows),
  ]
}

function figureTable({ measurements }: Comparison): string {
  const heads = ['', 'Operation', 'requests/s', 'CPU µs/request', 'p50 ms', 'p99 ms', 'slices', 'warm-up requests']
  const rows = measurements.map(({ contestant, operation, series, warmUp }) => {
    const middle = (figure: Figure, digits: number) => figureOf(series, figure).median.toFixed(digits)
    return [
      contestant.name,
      operation.title,
      middle(FIGURES.throughput, 0),
      middle(({ cpuMicroseconds }) => cpuMicroseconds, 1),
      middle(({ p50Ms }) => p50Ms, 2),
      middle(({ p99Ms }) => p99Ms, 2),
      String(series.slices.length),
      String(warmUp),
    ]
  })
  return table(heads, rows)
}

function footprintTable({ footprints }: Comparison): string {
  const rows = footprints.map(({ contestant, firstResponseMs, restMiB, peakMiB }) => [
    contestant.name,
    median(firstResponseMs).toFixed(0),
    median(restMiB).toFixed(0),
    peakMiB.toFixed(0),
  ])
  return table(['', 'first response, ms', 'at rest, MiB', 'highest, MiB'], rows)
}

function picture(comparison: Comparison): string {
  const panels = operations(comparison).map(
    (operation): BarPanel => ({
      title: operation.title,
      bars: contestants(comparison).flatMap((contestant) => {
        const found = find(comparison, contestant, operation)
        const { name, role } = contestant
        return found === undefined ? [] : [{ name, colour: role, value: ratio(found.series, FIGURES.CPU) }]
      }),
    }),
  )
  return barsSvg(pictureTitle(comparison), panels)
}

function contestants({ measurements }: Comparison): Contestant[] {
  return [...new Set(measurements.map(({ contestant }) => contestant))]
}

function operations({ measurements }: Comparison): Operation[] {
  return [...new Set(measurements.map(({ operation }) => operation))]
}

function find({ measurements }: Comparison, contestant: Contestant, operation: Operation): Measurement | undefined {
  return measurements.find((found) => found.contestant === contestant && found.operation === operation)
}

function ofService({ measurements }: Comparison): Measurement[] {
  return measurements.filter(({ contestant }) => contestant.id === 'pet-store')
}

function pictureTitle({ database }: Comparison): string {
  return `${DATABASE_NAMES[database]}: requests per ${CPU_UNIT}, against the bare server`
}

function pictureName({ database }: Comparison): string {
  return `${database}.svg`
}
