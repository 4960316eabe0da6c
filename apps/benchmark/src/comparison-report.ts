import { type BarPanel, barsSvg } from './bars-svg.ts'
import type { Comparison } from './comparison.ts'
import { DATABASE_NAMES } from './contestant.ts'
import type { Circumstances } from './machine.ts'
import { circumstancesTable, spreadText, table } from './markdown.ts'
import type { Measurement, Round } from './measure.ts'
import { median, ratios, type Spread, spread } from './statistics.ts'

/** The files of a report, by name. */
export type Report = Readonly<Record<string, string>>

/** Ratios first, then the figures behind them. */
export function comparisonReport(
  comparisons: readonly Comparison[],
  circumstances: Circumstances,
  versions: readonly string[],
): Report {
  const page = [
    '# How fast the pet store is',
    'Made by the command below; [how to read it](../../apps/benchmark/README.md).',
    circumstancesTable(circumstances),
    ...comparisons.flatMap(section),
    '## Versions',
    versions.join(', '),
  ]
  const drawings = comparisons.map((comparison) => [
    svgName(comparison),
    barsSvg(chartTitle(comparison), panels(comparison)),
  ])
  return { 'report.md': `${page.join('\n\n')}\n`, ...Object.fromEntries(drawings) }
}

function section(comparison: Comparison): string[] {
  const title = DATABASE_NAMES[comparison.database]
  return [
    `## ${title}`,
    ...(comparison.server === undefined ? [] : [`On ${comparison.server}.`]),
    `![${chartTitle(comparison)}](${svgName(comparison)})`,
    `### Requests per second of CPU time, ${title}`,
    `Against ${baselineName(comparison)}: the median of all rounds, and the lowest and the highest.`,
    ratioTable(comparison, requestsPerCpuSecond),
    `### Requests per second, ${title}`,
    'The same for throughput, with the client and the database on other cores than the server.',
    ratioTable(comparison, (round) => round.requestsPerSecond, pgbenchRow(comparison)),
    ...(comparison.database === 'postgres' && comparison.pgbench === undefined
      ? ['pgbench is not installed here, so what PostgreSQL alone can do is left out.']
      : []),
    `### Figures, ${title}`,
    'Medians of all rounds. A request waits for the others of its 32 connections, so latency is throughput seen from the other side.',
    figureTable(comparison),
    `### Start and memory, ${title}`,
    footprintTable(comparison),
  ]
}

function requestsPerCpuSecond({ cpuMicroseconds }: Round): number {
  return 1e6 / cpuMicroseconds
}

type Figure = (round: Round) => number

/** How a contestant's figures stand to those of the one that all are compared with. */
function ratioOf({ measurements }: Comparison, measurement: Measurement, figure: Figure): Spread {
  return ratios(measurement.rounds.map(figure), baseline(measurements, measurement).rounds.map(figure))
}

function baseline(measurements: readonly Measurement[], { operation }: Pick<Measurement, 'operation'>): Measurement {
  const found = measurements.find((other) => other.operation === operation && other.contestant.isBaseline)
  if (found === undefined) throw new Error(`Nothing to compare ${operation.id} with.`)
  return found
}

function ratioTable(comparison: Comparison, figure: Figure, more: readonly (readonly string[])[] = []): string {
  const rows = contestants(comparison).map((contestant) => [
    contestant.role === 'service' ? `**${contestant.name}**` : contestant.name,
    ...ofContestant(comparison, contestant).map((measurement) => spreadText(ratioOf(comparison, measurement, figure))),
  ])
  return table(['', ...operations(comparison).map(({ title }) => title)], [...rows, ...more])
}

/** What the database alone can do; it has no CPU time of a server. */
function pgbenchRow({ pgbench, measurements }: Comparison): string[][] {
  if (pgbench === undefined) return []
  const cells = operations({ measurements }).map((operation) => {
    const rates = pgbench.get(operation.id)
    if (rates === undefined) return ''
    const bare = median(baseline(measurements, { operation }).rounds.map((round) => round.requestsPerSecond))
    return spreadText(spread(rates.map((rate) => rate / bare)))
  })
  return [['pgbench: PostgreSQL alone', ...cells]]
}

function figureTable(comparison: Comparison): string {
  const heads = ['', 'Operation', 'requests/s', 'CPU µs/request', 'p50 ms', 'p99 ms', 'warm-up requests']
  const rows = comparison.measurements.map(({ contestant, operation, rounds, warmUp }) => {
    const middle = (figure: Figure, digits: number) => median(rounds.map(figure)).toFixed(digits)
    return [
      contestant.name,
      operation.title,
      middle((round) => round.requestsPerSecond, 0),
      middle((round) => round.cpuMicroseconds, 1),
      middle((round) => round.p50Ms, 2),
      middle((round) => round.p99Ms, 2),
      String(warmUp),
    ]
  })
  return table(heads, rows)
}

function footprintTable({ footprints }: Comparison): string {
  const rows = footprints.map(({ contestant, starts, peakMiB }) => [
    contestant.name,
    spreadText(spread(starts.map(({ firstAnswerMs }) => firstAnswerMs)), 0),
    spreadText(spread(starts.map(({ restMiB }) => restMiB)), 0),
    peakMiB.toFixed(0),
  ])
  return table(['', 'first answer after, ms', 'at rest, MiB', 'at the highest, MiB'], rows)
}

function panels(comparison: Comparison): BarPanel[] {
  return operations(comparison).map((operation) => ({
    title: operation.title,
    bars: comparison.measurements
      .filter((measurement) => measurement.operation === operation)
      .map((measurement) => ({
        name: measurement.contestant.name,
        role: measurement.contestant.role,
        ratio: ratioOf(comparison, measurement, requestsPerCpuSecond),
      })),
  }))
}

function contestants({ measurements }: Pick<Comparison, 'measurements'>) {
  return [...new Set(measurements.map(({ contestant }) => contestant))]
}

function operations({ measurements }: Pick<Comparison, 'measurements'>) {
  return [...new Set(measurements.map(({ operation }) => operation))]
}

function ofContestant({ measurements }: Comparison, contestant: Measurement['contestant']): Measurement[] {
  return measurements.filter((measurement) => measurement.contestant === contestant)
}

function baselineName(comparison: Comparison): string {
  return contestants(comparison).find(({ isBaseline }) => isBaseline)?.name ?? 'nothing'
}

function chartTitle({ database }: Comparison): string {
  return `${DATABASE_NAMES[database]}: requests per second of CPU time, against the bare server`
}

function svgName({ database }: Comparison): string {
  return `${database}.svg`
}
