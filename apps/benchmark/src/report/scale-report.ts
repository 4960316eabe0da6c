import type { Comparison, Measurement } from '../comparison/comparison.ts'
import { type Figure, figureOf, ratio } from '../measuring/rotation.ts'
import type { Slice } from '../measuring/slice.ts'
import type { BulkRun } from '../scale/bulk.ts'
import { DATABASE_NAMES } from '../servers/contestants.ts'
import { estimateText, type Facts, factsTable, type Report, table } from './page.ts'

/** What was measured; what was not asked for is left out. */
export interface ScaleFigures {
  readonly growth: readonly Comparison[]
  readonly bulk: readonly BulkRun[]
  readonly processes?: Comparison | undefined
}

/** One page on many pets and on several processes. */
export function scaleReport({ growth, bulk, processes }: ScaleFigures, facts: Facts): Report {
  const page = ['# Many pets, and several processes', factsTable(facts), ...growth.flatMap(growthSection)]
  if (bulk.length > 0) page.push(...bulkSection(bulk))
  if (processes !== undefined) page.push(...processesSection(processes))
  return { 'scale.md': `${page.join('\n\n')}\n` }
}

function growthSection({ database, contestants, operations, measurements, footprints }: Comparison): string[] {
  const rows = operations.map((operation) => [
    `${operation.title}, ms`,
    ...measurements
      .filter((one) => one.operation === operation)
      .map(({ series }) => figureOf(series, ({ p50Ms }) => p50Ms).middle.toFixed(3)),
  ])
  rows.push(['at rest, MiB', ...footprints.map(({ restMiB }) => restMiB.toFixed(0))])
  rows.push(['highest, MiB', ...footprints.map(({ peakMiB }) => peakMiB.toFixed(0))])
  return [
    `## Growth, ${DATABASE_NAMES[database]}`,
    'The median response time of one client that waits for each response, and the memory of the service.',
    table(['pets', ...contestants.map(({ name }) => name)], rows),
  ]
}

function bulkSection(runs: readonly BulkRun[]): string[] {
  const rows = runs.map(({ database, command, pets, run: { seconds, peakMiB } }) => [
    `${DATABASE_NAMES[database]}: \`${command}\``,
    ...[pets.toLocaleString('en'), Math.round(pets / seconds).toLocaleString('en'), peakMiB.toFixed(0)],
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
  const heads = ['', 'requests/s', 'times one', 'CPU, µs', 'PostgreSQL, µs', 'cores busy, %']
  const modelHeads = [
    '',
    'service, a core',
    'PostgreSQL, a core',
    'service cores for one',
    `${LARGEST.cores} cores: requests/s`,
  ]
  const alone = measurements.filter(({ contestant }) => contestant.processes === 1)
  return [
    '## Processes',
    `Several processes of the service on one database of ${server}, on all cores together with the client and the database. Where the cores are busy already, another process cannot add throughput.`,
    table(heads, measurements.map(processesRow)),
    '### What limits them',
    `The service has no state, so its processes wait only for the database. From the CPU time of one request on each side, a server for PostgreSQL with ${LARGEST.cores} cores (the largest that cloud providers rent), of which ${LARGEST.use * 100}% are used, serves the last column. It is an upper bound: locks and the write-ahead log inside PostgreSQL, and the network, are left out; reads can go to replicas.`,
    table([...modelHeads, 'processes of the service'], alone.map(modelRow)),
  ]
}

function processesRow({ contestant, operation, series }: Measurement): string[] {
  const figure = (of: Figure<Slice>, digits: number) => figureOf(series, of).middle.toFixed(digits)
  return [
    `${operation.title}, ${contestant.name}`,
    figure(({ requestsPerSecond }) => requestsPerSecond, 0),
    estimateText(ratio(series, ({ requestsPerSecond }) => requestsPerSecond)),
    figure(({ cpuMicroseconds }) => cpuMicroseconds, 0),
    figure(({ databaseMicroseconds }) => databaseMicroseconds, 0),
    figure(({ busy }) => busy * 100, 0),
  ]
}

function modelRow({ operation, series }: Measurement): string[] {
  const perCore = (of: Figure<Slice>) => 1e6 / figureOf(series, of).middle
  const service = perCore(({ cpuMicroseconds }) => cpuMicroseconds)
  const database = perCore(({ databaseMicroseconds }) => databaseMicroseconds)
  const most = database * LARGEST.cores * LARGEST.use
  const whole = (value: number) => (Number.isNaN(value) ? 'unknown' : Math.round(value).toLocaleString('en'))
  const [one, processes] = [(database / service).toFixed(1), most / service / LARGEST.use]
  return [operation.title, whole(service), whole(database), one, whole(most), whole(processes)]
}
