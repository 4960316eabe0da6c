import type { Comparison } from '../comparison/comparison.ts'
import type { Measurement } from '../comparison/running.ts'
import { middleOf, ratio } from '../measuring/rotation.ts'
import { OPERATIONS, type Operation } from '../requests/operations.ts'
import {
  CONTESTANTS,
  type Contestant,
  DATABASE_NAMES,
  DATABASES,
  type Database,
  SERVICE,
} from '../servers/contestants.ts'
import { type Facts, factsTable, type Report } from './facts.ts'
import { type Machine, machinesWith, rangeOf } from './machines.ts'
import { rangeSvg } from './range-svg.ts'
import { COSTS, comparisonTable, estimateText, table, timesText } from './tables.ts'

const TITLE = 'requests for the same CPU time, times those of the bare server'

/** What holds on all machines first, then the run on this one. */
export function comparisonReport(
  comparisons: readonly Comparison[],
  machines: readonly Machine[],
  facts: Facts,
): Report {
  const page = [
    '# How fast Pet Store is',
    'Made by `pnpm bench`; [how to read it](../../apps/benchmark/README.md).',
    ...DATABASES.map((database) => `![${DATABASE_NAMES[database]}: ${TITLE}](${database}.svg)`),
    '## Where it holds',
    'A ratio repeats on the machine where it was measured, not on another one: what grouping ' +
      'requests saves depends on what system calls and wake-ups cost there. So each figure is ' +
      'a range over these machines, and a claim is its lower end. The pictures show only the ' +
      'machines that have measured all that the last one has.',
    table(
      ['machine', 'date', 'commit', 'from'],
      machines.map(({ machine, date, commit, source }) => [machine, date, commit, source]),
    ),
    ...DATABASES.flatMap((database) => [
      `### Pet Store on ${DATABASE_NAMES[database]}`,
      rangeTable(machines, database),
    ]),
    '## This run',
    factsTable(facts),
    ...comparisons.flatMap(section),
    ...latencySection(comparisons),
    'The versions of the other stacks: [package.json](../../apps/benchmark/peers/package.json).',
  ]
  const pictures = DATABASES.map((database) => [`${database}.svg`, picture(machines, database)])
  return { 'report.md': `${page.join('\n\n')}\n`, ...Object.fromEntries(pictures) }
}

/** Of the machines that have measured all that this one has: other bars could not be compared. */
function picture(machines: readonly Machine[], database: Database): string {
  const measured = Object.keys(machines.at(-1)?.figures ?? {})
  const names = measured.filter((name) => name.startsWith(`${database}/`))
  const complete = machinesWith(machines, names)
  const panels = OPERATIONS.map(({ id: operation, title }) => ({
    title,
    bars: CONTESTANTS[database].flatMap(({ id: contestant, name, role }) => {
      const range = rangeOf(complete, `${database}/${contestant}/${operation}`, 'cpu')
      return range ? [{ name, isOurs: role === 'service', ...range }] : []
    }),
  }))
  const where = complete.length === 1 ? complete[0]?.machine : `${complete.length} machines`
  return rangeSvg(`${DATABASE_NAMES[database]}: ${TITLE}; on ${where}`, panels)
}

function rangeTable(machines: readonly Machine[], database: Database): string {
  const rows = OPERATIONS.map(({ id: operation, title }) => {
    const cell = (figure: 'cpu' | 'throughput' | 'own' | 'p99', digits: number) => {
      const { low, high } = rangeOf(machines, `${database}/pet-store/${operation}`, figure) ?? {}
      return [...new Set([low?.toFixed(digits), high?.toFixed(digits)])].join(' to ')
    }
    return [title, cell('cpu', 2), cell('throughput', 2), cell('own', 0), cell('p99', 1)]
  })
  return table(['', 'per CPU time', 'throughput', 'own work, µs', 'p99 at half of the peak'], rows)
}

function section(comparison: Comparison): string[] {
  const { database, server, contestants } = comparison
  const ratios = ({ contestant, series }: Measurement) => {
    const perCpu = ratio(series, 'requestsPerCpuSecond')
    const text = contestant === contestants[1] ? estimateText(perCpu) : perCpu.middle.toFixed(2)
    return `${text}/${ratio(series, 'requestsPerSecond').middle.toFixed(2)}`
  }
  return [
    `### ${DATABASE_NAMES[database]}`,
    ...(server === undefined ? [] : [server]),
    `Requests for the same CPU time/throughput, times those of ${contestants[0]?.name}:`,
    comparisonTable(comparison, ratios),
    ...peersTable(comparison),
    'Only Pet Store keeps idempotency keys. The others ignore them, and store each repeat.',
    'CPU time of one request, ' +
      `µs${database === 'postgres' ? ', and that of PostgreSQL' : ''}; start and memory:`,
    comparisonTable(comparison, timesText, COSTS),
  ]
}

/** Where our service is ahead of each other stack, and where not. */
function peersTable({ operations, contestants, measurements }: Comparison): string[] {
  const peers = contestants.filter(({ role }) => role === 'peer')
  if (peers.length === 0) return []
  function perCpu(wanted: Contestant, { id }: Operation): number {
    const found = measurements.find(
      ({ contestant, operation }) => contestant === wanted && operation.id === id,
    )
    return found === undefined ? Number.NaN : ratio(found.series, 'requestsPerCpuSecond').middle
  }
  const rows = peers.map((peer) => [
    peer.name,
    ...operations.map((one) => (perCpu(SERVICE, one) / perCpu(peer, one)).toFixed(2)),
  ])
  return [
    'Requests of Pet Store for the same CPU time, times those of each other stack; below 1.00 ' +
      'the other one is ahead:',
    table(['', ...operations.map(({ title }) => title)], rows),
  ]
}

function latencySection(comparisons: readonly Comparison[]): string[] {
  const [baseline = '', compared = ''] = comparisons[0]?.contestants.map(({ id }) => id) ?? []
  const rows = comparisons.flatMap(({ database, latency }) => {
    if (latency === undefined) return []
    const { requestsPerSecond, series } = latency
    const cells = [series.neighbours, series.slices].map((slices) =>
      (['p50Ms', 'p99Ms'] as const).map((figure) => middleOf(slices, figure).toFixed(2)).join('/'),
    )
    const name = `${DATABASE_NAMES[database]}, ${requestsPerSecond.toFixed(0)}/s`
    return [[name, ...cells, estimateText(ratio(series, 'p99Ms'))]]
  })
  if (rows.length === 0) return []
  return [
    '## Latency',
    'Median/99th percentile in milliseconds for mixed requests at random planned times, ' +
      'counted from those, at half of what the slower of the two serves at most. Each figure ' +
      'is the middle of those of half a second each.',
    table(['', baseline, compared, `p99, times that of ${baseline}`], rows),
  ]
}
