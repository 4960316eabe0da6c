import type { Comparison } from '../comparison/comparison.ts'
import type { Measurement } from '../comparison/running.ts'
import { type Figure, figureOf, ratio } from '../measuring/rotation.ts'
import { CPU, DATABASE_CPU, type Slice, THROUGHPUT } from '../measuring/slice.ts'
import type { BulkRun } from '../scale/bulk.ts'
import { DATABASE_NAMES } from '../servers/contestants.ts'
import { estimateText, type Facts, factsTable, type Report, table } from './page.ts'

/** What was measured; what was not asked for is empty. */
export interface ScaleFigures {
  readonly growth: readonly Comparison[]
  readonly bulk: readonly BulkRun[]
  readonly processes: readonly Comparison[]
}

/** One page on many pets and on several processes. */
export function scaleReport({ growth, bulk, processes }: ScaleFigures, facts: Facts): Report {
  const sections = [growth.flatMap(growthSection), bulkSection(bulk), processes.flatMap(processesSection)]
  const page = ['# Many pets, and several processes', factsTable(facts), ...sections.flat()]
  return { 'scale.md': `${page.join('\n\n')}\n` }
}

function growthSection({ database, contestants, operations, measurements, footprints }: Comparison): string[] {
  const rows = operations.map((operation) => {
    const series = measurements.filter((one) => one.operation === operation).map((one) => one.series)
    return [`${operation.title}, ms`, ...series.map((one) => figureOf(one, ({ p50Ms }) => p50Ms).middle.toFixed(3))]
  })
  rows.push(['at rest, MiB', ...footprints.map(({ restMiB }) => restMiB.toFixed(0))])
  rows.push(['highest, MiB', ...footprints.map(({ peakMiB }) => peakMiB.toFixed(0))])
  return [
    `## Growth, ${DATABASE_NAMES[database]}`,
    'The median response time of one client that waits for each response, and the memory of the service.',
    table(['pets', ...contestants.map(({ name }) => name)], rows),
  ]
}

function bulkSection(runs: readonly BulkRun[]): string[] {
  const rows = runs.map(({ database, command, pets, seconds, peakMiB }) => [
    `${DATABASE_NAMES[database]}: \`${command}\``,
    ...[pets, Math.round(pets / seconds), Math.round(peakMiB)].map((value) => value.toLocaleString('en')),
  ])
  return [
    '## Bulk work',
    'The built program from the start of its process to its end. The file that comes out is compared with the one that went in.',
    table(['', 'pets', 'pets a second', 'highest MiB'], rows),
  ]
}

/** What the model assumes: the largest PostgreSQL server that cloud providers rent, and how much of its cores is used. */
const LARGEST = { cores: 192, use: 0.7 }

function processesSection({ server, measurements }: Comparison): string[] {
  const alone = measurements.filter(({ contestant }) => contestant.processes === 1)
  return [
    '## Processes',
    `Several processes of the service on one database of ${server}, on all cores together with the client and the database. Where the cores are busy already, another process cannot add throughput.`,
    table(['', 'requests/s', 'times one', 'CPU, µs', 'PostgreSQL, µs'], measurements.map(processesRow)),
    '### What limits them',
    `The service has no state, so its processes wait only for the database. From the CPU time of one request on each side, a server for PostgreSQL with ${LARGEST.cores} cores (the largest that cloud providers rent), of which ${LARGEST.use * 100}% are used, serves the last but one column. It is an upper bound: locks and the write-ahead log inside PostgreSQL, and the network, are left out; reads can go to replicas.`,
    table(
      [
        'requests/s',
        'service, a core',
        'PostgreSQL, a core',
        `PostgreSQL, ${LARGEST.cores} cores`,
        'processes for that',
      ],
      alone.map(modelRow),
    ),
  ]
}

function processesRow({ contestant, operation, series }: Measurement): string[] {
  const middle = (figure: Figure<Slice>) => figureOf(series, figure).middle.toFixed(0)
  const times = estimateText(ratio(series, THROUGHPUT))
  return [`${operation.title}, ${contestant.name}`, middle(THROUGHPUT), times, middle(CPU), middle(DATABASE_CPU)]
}

function modelRow({ operation, series }: Measurement): string[] {
  const [service = 0, database = 0] = [CPU, DATABASE_CPU].map((figure) => 1e6 / figureOf(series, figure).middle)
  const most = database * LARGEST.cores * LARGEST.use
  const values = [service, database, most, most / service / LARGEST.use]
  return [operation.title, ...values.map((value) => Math.round(value).toLocaleString('en'))]
}
