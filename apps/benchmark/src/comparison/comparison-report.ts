import { countsInstructions } from '../measuring/event-counter.ts'
import { type Figure, figureOf, joined, ratio, type Series } from '../measuring/rotation.ts'
import { estimate, median, sum } from '../measuring/statistics.ts'
import { barsSvg } from '../report/bars-svg.ts'
import { type Circumstances, circumstancesTable } from '../report/circumstances.ts'
import { curvesSvg } from '../report/curves-svg.ts'
import { estimateText, type Report, table } from '../report/markdown.ts'
import type { Operation } from '../requests/operations.ts'
import { type Contestant, DATABASE_NAMES, type Database } from '../servers/contestants.ts'
import type { Comparison } from './comparison.ts'

const FIGURES: Readonly<Record<'cpu' | 'throughput', Figure>> = {
  // Instructions repeat within a few per cent; time is what is left where the machine does not count them.
  cpu: ({ cpuMicroseconds, instructions = cpuMicroseconds }) => 1 / instructions,
  throughput: ({ requestsPerSecond }) => requestsPerSecond,
}

const PER_CPU = countsInstructions ? 'requests per instruction' : 'requests per second of CPU time'

/** Two runs agree on a ratio when they differ by less than this part of it. */
const AGREEMENT = 0.1

/** The runs on one database. All contestants take part in the first, our service and the baseline in each. */
interface Runs {
  readonly database: Database
  readonly first: Comparison
  readonly all: readonly Comparison[]
  readonly contestants: readonly Contestant[]
  readonly operations: readonly Operation[]
}

/** Pictures first, then ratios, then the figures behind them. Takes the runs of each database. */
export function comparisonReport(
  comparisons: readonly (readonly Comparison[])[],
  circumstances: Circumstances,
  versions: readonly string[],
): Report {
  const sections = comparisons.map(runsOf)
  const curves = sections.filter(({ first }) => first.curves.length > 0)
  const pictures = sections.map((runs) => [`${runs.database}.svg`, picture(runs)])
  if (curves.length > 0) pictures.push(['latency.svg', latencyPicture(curves)])
  const page = [
    '# How fast Pet Store is',
    'Made by the command below; [how to read it](../../apps/benchmark/README.md).',
    ...pictures.map(([name = '', svg = '']) => `![${/<title>(.*)<\/title>/.exec(svg)?.[1]}](${name})`),
    circumstancesTable(circumstances),
    ...sections.flatMap(section),
    ...(curves.length > 0 ? latencySection(curves) : []),
    '## Versions',
    versions.join(', '),
  ]
  return { 'report.md': `${page.join('\n\n')}\n`, ...Object.fromEntries(pictures) }
}

function runsOf(all: readonly Comparison[]): Runs {
  const [first] = all
  if (first === undefined) throw new Error('There is no run.')
  return {
    database: first.database,
    first,
    all,
    contestants: [...new Set(first.measurements.map(({ contestant }) => contestant))],
    operations: [...new Set(first.measurements.map(({ operation }) => operation))],
  }
}

/** What one contestant did with one operation in each run; empty where it took no part. */
function seriesOf({ all }: Runs, contestant: Contestant | undefined, operation: Operation): Series[] {
  return all.flatMap(({ measurements }) =>
    measurements
      .filter((found) => found.contestant === contestant && found.operation === operation)
      .map(({ series }) => series),
  )
}

function section(runs: Runs): string[] {
  const title = DATABASE_NAMES[runs.database]
  const [baseline, subject] = runs.contestants
  return [
    `## ${title}`,
    ...(runs.first.server === undefined ? [] : [`On ${runs.first.server}.`]),
    slices(runs),
    `### ${subject?.name} in each run, ${title}`,
    `Against ${baseline?.name}, each run with servers and databases of its own. The pictures show operations on which the runs agree within 10%.`,
    table(
      ['', ...heads(runs, PER_CPU), ...heads(runs, 'requests/s')],
      runs.operations.map((one) => runRow(runs, one)),
    ),
    `### All contestants, ${PER_CPU}, ${title}`,
    'The middle of the ratios of neighbouring slices, and its confidence interval.',
    contestantTable(runs, (series) => estimateText(ratio(series, FIGURES.cpu))),
    `### All contestants, requests per second, ${title}`,
    `The same for throughput, with client and database on other cores than the server. Creation waits for the disk, where one fsync took ${estimateText(estimate(runs.all.flatMap(({ fsyncMs }) => fsyncMs)))} ms.`,
    contestantTable(runs, (series) => estimateText(ratio(series, FIGURES.throughput))),
    `### CPU time and speed, ${title}`,
    `CPU time of the server for one request${runs.database === 'postgres' ? ', and that of PostgreSQL' : ''}; requests per second.`,
    contestantTable(runs, absolute),
    `### Start and memory, ${title}`,
    footprintTable(runs.first),
  ]
}

function slices({ all }: Runs): string {
  const series = all.flatMap(({ measurements }) => measurements.map((measurement) => measurement.series))
  const used = series.flatMap((some) => some.slices)
  const thrownAway = sum(series.map(({ disturbed }) => disturbed))
  const disturbed = used.filter(({ isDisturbed }) => isDisturbed).length
  return `${used.length} slices were used. ${thrownAway} were thrown away and repeated, because the host or another program took cores away meanwhile; ${disturbed} of those used were disturbed twice in a row.`
}

function heads({ all }: Runs, title: string): string[] {
  return all.length < 2 ? [title] : [title, ...all.map((_, index) => `run ${index + 1}`), 'agree']
}

function runRow(runs: Runs, operation: Operation): string[] {
  const series = seriesOf(runs, runs.contestants[1], operation)
  const cells = Object.values(FIGURES).flatMap((figure) => {
    const both = estimateText(ratio(joined(series), figure))
    if (runs.all.length < 2) return [both]
    const each = series.map((some) => ratio(some, figure).middle.toFixed(2))
    return [`**${both}**`, ...each, agree(series, figure) ? 'yes' : 'no']
  })
  return [operation.title, ...cells]
}

function agree(series: readonly Series[], figure: Figure): boolean {
  const ratios = series.map((some) => ratio(some, figure).middle)
  return Math.min(...ratios) >= Math.max(...ratios) * (1 - AGREEMENT)
}

function contestantTable(runs: Runs, cell: (series: Series) => string): string {
  const rows = runs.contestants.map((contestant, index) => [
    index === 1 ? `**${contestant.name}**` : contestant.name,
    ...runs.operations.map((operation) => {
      const series = seriesOf(runs, contestant, operation)
      return series.length === 0 ? '' : cell(joined(series))
    }),
  ])
  return table(['', ...runs.operations.map(({ title }) => title)], rows)
}

function absolute(series: Series): string {
  if (series.slices.length === 0) return '–'
  const middle = (figure: Figure) => figureOf(series, figure).middle
  const database = middle(({ databaseMicroseconds = Number.NaN }) => databaseMicroseconds)
  const times = [middle(({ cpuMicroseconds }) => cpuMicroseconds), database].filter((time) => !Number.isNaN(time))
  return `${times.map((time) => time.toFixed(0)).join(' + ')} µs; ${middle(FIGURES.throughput).toFixed(0)}/s`
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

function picture(runs: Runs): string {
  const [, subject] = runs.contestants
  const agreed = runs.operations.filter((operation) => agree(seriesOf(runs, subject, operation), FIGURES.cpu))
  const panels = agreed.map((operation) => ({
    title: operation.title,
    bars: runs.contestants.flatMap((contestant) => {
      const series = seriesOf(runs, contestant, operation)
      const value = ratio(joined(series), FIGURES.cpu)
      return Number.isNaN(value.middle) ? [] : [{ name: contestant.name, colour: contestant.role, value }]
    }),
  }))
  return barsSvg(`${DATABASE_NAMES[runs.database]}: ${PER_CPU}, against the bare server`, panels)
}

function latencyPicture(sections: readonly Runs[]): string {
  const panels = sections.map(({ database, first }) => ({
    title: DATABASE_NAMES[database],
    lines: first.curves.map(({ contestant, points }) => ({ name: contestant.name, colour: contestant.role, points })),
  }))
  return curvesSvg('Latency over throughput: 99th percentile (full) and median (dashed), mixed requests', panels)
}

function latencySection(sections: readonly Runs[]): string[] {
  const lateness = sections.flatMap(({ first }) => first.curves.flatMap(({ points }) => points))
  const latest = Math.max(...lateness.map(({ lateness99Ms }) => lateness99Ms))
  return [
    '## Latency',
    `Median and 99th percentile in milliseconds for mixed requests at random planned times (an open loop): a request counts from the time at which it was planned, so one that waits for a slow server counts as slow. Rates are parts of what the fastest contestant serves; a contestant that cannot serve a rate gets no higher one. The client shares its core with PostgreSQL; at the worst rate it sent 99% of the requests within ${latest.toFixed(2)} ms of their time, which is part of the figures.`,
    ...sections.map(({ database, first: { curves } }) => {
      const longest = curves.map(({ points }) => points).sort((one, other) => other.length - one.length)[0] ?? []
      const rows = longest.map(({ planned }, index) => [
        planned.toFixed(0),
        ...curves.map(({ points }) => {
          const point = points[index]
          return point === undefined ? '' : `${point.p50Ms.toFixed(2)} / ${point.p99Ms.toFixed(2)}`
        }),
      ])
      return table(
        [`${DATABASE_NAMES[database]}, requests/s`, ...curves.map(({ contestant }) => contestant.name)],
        rows,
      )
    }),
  ]
}
