import type { Comparison } from '../comparison/comparison.ts'
import type { Measurement } from '../comparison/running.ts'
import { middleOf, ratio } from '../measuring/rotation.ts'
import type { BulkRun } from '../scale/bulk.ts'
import { DATABASE_NAMES } from '../servers/contestants.ts'
import { type Facts, factsTable, type Report } from './facts.ts'
import { COSTS, comparisonTable, estimateText, table, timesText } from './tables.ts'

/** One page on many pets and on several processes; what was not asked for is empty. */
export function scaleReport(
  growth: readonly Comparison[],
  bulk: readonly BulkRun[],
  processes: readonly Comparison[],
  facts: Facts,
): Report {
  const sections = [
    growth.flatMap(growthSection),
    bulkSection(bulk),
    processes.flatMap(processesSection),
  ]
  const page = ['# Many pets, and several processes', factsTable(facts), ...sections.flat()]
  return { 'scale.md': `${page.join('\n\n')}\n` }
}

function growthSection(comparison: Comparison): string[] {
  const median = ({ series }: Measurement) => middleOf(series.slices, 'p50Ms').toFixed(3)
  return [
    `## Growth, ${DATABASE_NAMES[comparison.database]}`,
    'By the number of pets: the median response time in milliseconds of one client that ' +
      'waits for each response, and start and memory of the service.',
    comparisonTable(comparison, median, COSTS),
  ]
}

function bulkSection(runs: readonly BulkRun[]): string[] {
  if (runs.length === 0) return []
  const rows = runs.map(({ database, command, pets, seconds, peakMiB }) => [
    `${DATABASE_NAMES[database]}: \`${command}\``,
    ...[pets, Math.round(pets / seconds), Math.round(peakMiB)].map((value) =>
      value.toLocaleString('en'),
    ),
  ])
  return [
    '## Bulk work',
    'The built program from the start of its process to its end; on PostgreSQL `vacuum ' +
      'analyze` comes before the export. The file that comes out is compared with the one that ' +
      'went in.',
    table(['', 'pets', 'pets a second', 'highest MiB'], rows),
  ]
}

/**
 * What the model assumes: the largest PostgreSQL server that cloud providers rent, and how much of
 * its cores is used.
 */
const LARGEST = { cores: 192, use: 0.7 }

function processesSection(comparison: Comparison): string[] {
  const heads = [
    'requests/s',
    'service, a core',
    'PostgreSQL, a core',
    `PostgreSQL, ${LARGEST.cores} cores`,
  ]
  const alone = comparison.measurements.filter(({ contestant }) => contestant.processes === 1)
  const throughput = ({ series }: Measurement) =>
    `${middleOf(series.slices, 'requestsPerSecond').toFixed(0)}, ` +
    `${estimateText(ratio(series, 'requestsPerSecond'))}`
  return [
    '## Processes',
    'Several processes of the service on one port (`REUSE_PORT=true`) and one database of ' +
      `${comparison.server}, on all cores together with the client and the database. Where the ` +
      'cores are busy already, another process cannot add throughput.',
    'Requests a second, and times those of one process:',
    comparisonTable(comparison, throughput),
    'CPU time of one request, µs, and that of PostgreSQL:',
    comparisonTable(comparison, timesText),
    '### What limits them',
    'The service has no state, so its processes wait only for the database. From the CPU ' +
      `time of one request on each side, a server for PostgreSQL with ${LARGEST.cores} cores ` +
      `(the largest that cloud providers rent), of which ${LARGEST.use * 100}% are used, ` +
      'serves the last but one column. It is an upper bound: locks and the write-ahead log ' +
      'inside PostgreSQL, and the network, are left out; reads can go to replicas.',
    table([...heads, 'processes for that'], alone.map(modelRow)),
  ]
}

function modelRow({ operation, series }: Measurement): string[] {
  const service = middleOf(series.slices, 'requestsPerCpuSecond')
  const database = 1e6 / middleOf(series.slices, 'databaseMicroseconds')
  const most = database * LARGEST.cores * LARGEST.use
  const values = [service, database, most, most / service / LARGEST.use]
  return [operation.title, ...values.map((value) => Math.round(value).toLocaleString('en'))]
}
