import { type Figure, figureOf, ratio } from '../measuring/rotation.ts'
import { estimate } from '../measuring/statistics.ts'
import { type BarPanel, barsSvg } from '../report/bars-svg.ts'
import { type Circumstances, circumstancesTable } from '../report/circumstances.ts'
import { estimateText, type Report, table } from '../report/markdown.ts'
import { DATABASE_NAMES, DATABASES } from '../servers/contestants.ts'
import type { ProgramRun } from '../servers/program-run.ts'
import type { BulkFigures, BulkMeasurement } from './bulk.ts'
import type { GrowthFigures, GrowthPoint } from './growth.ts'
import type { ProcessesFigures, ProcessesMeasurement } from './processes.ts'

/** What was measured; a section that was not asked for is left out. */
export interface ScaleFigures {
  readonly growth?: GrowthFigures
  readonly bulk?: BulkFigures
  readonly processes?: ProcessesFigures
}

const GROWTH_TITLE = 'Response time of one client while the number of pets grows'

/** One page on many pets and on several processes. */
export function scaleReport({ growth, bulk, processes }: ScaleFigures, circumstances: Circumstances): Report {
  const title = `${GROWTH_TITLE}, ms`
  const page = [
    '# Many pets, and several processes',
    ...(growth === undefined ? [] : [`![${title}](growth.svg)`]),
    circumstancesTable(circumstances),
    ...(growth === undefined ? [] : growthSection(growth)),
    ...(bulk === undefined ? [] : bulkSection(bulk)),
    ...(processes === undefined ? [] : processesSection(processes)),
  ]
  const picture = growth === undefined ? {} : { 'growth.svg': barsSvg(title, growthPanels(growth.points)) }
  return { 'scale.md': `${page.join('\n\n')}\n`, ...picture }
}

function growthSection({ points, memory }: GrowthFigures): string[] {
  return [
    '## Growth',
    'One client that waits for each response: the median response time in milliseconds, and its confidence interval.',
    ...groupBy(points, ({ database }) => DATABASE_NAMES[database]).flatMap(([name, ofDatabase]) => {
      const rows = groupBy(ofDatabase, ({ operation }) => operation)
      const sizes = rows[0]?.[1].map(({ size }) => size.toLocaleString('en')) ?? []
      const cells = rows.map(([operation, own]) => [operation, ...own.map(({ p50Ms }) => estimateText(p50Ms, 3))])
      return [`### ${name}`, table(['pets', ...sizes], cells)]
    }),
    '### Memory of the service',
    table(
      ['database', 'pets', 'at rest, MiB', 'highest, MiB'],
      memory.map(({ database, size, restMiB, peakMiB }) => [
        DATABASE_NAMES[database],
        ...[size.toLocaleString('en'), restMiB.toFixed(0), peakMiB.toFixed(0)],
      ]),
    ),
  ]
}

function growthPanels(points: readonly GrowthPoint[]): BarPanel[] {
  return groupBy(points, ({ database, operation }) => `${DATABASE_NAMES[database]}: ${operation}`).map(
    ([title, own]) => ({
      title,
      bars: own.map(({ size, p50Ms }) => ({ name: size.toLocaleString('en'), colour: 'service', value: p50Ms })),
    }),
  )
}

function bulkSection({ pets, starts, measurements }: BulkFigures): string[] {
  const start = estimateText(estimate(starts.map(({ seconds }) => seconds)))
  const heads = ['', 'pets/s', 'own way, pets/s', 'of the own way', 'highest MiB', 'own way, MiB']
  return [
    '## Bulk work',
    `${pets.toLocaleString('en')} pets, by the built program from the start of its process to its end, beside the database's own way with the same pets, columns and indexes. On SQLite that is one prepared statement in transactions of the same size and durability, and one statement iterated to a file; on PostgreSQL it is COPY. Files that come out are flushed to the disk on both sides. A copy is compared with reading the one database and then filling the other in their own ways, although it also reads both again to compare them. The start of our program is part of its times: a command that has nothing to do takes ${start} s.`,
    'Medians with the lowest and the highest of all rounds; ratios are formed within each round. After each run all pets were read and compared with the data set byte for byte; an export must be the file that was imported.',
    ...DATABASES.flatMap((database) => {
      const rows = measurements.filter((measurement) => measurement.database === database)
      return [
        `### ${DATABASE_NAMES[database]}`,
        table(
          heads,
          rows.map((measurement) => bulkRow(measurement, pets)),
        ),
      ]
    }),
  ]
}

function bulkRow({ title, ours, own }: BulkMeasurement, pets: number): string[] {
  const rates = (runs: readonly ProgramRun[]) => runs.map(({ seconds }) => pets / seconds)
  const highest = (runs: readonly ProgramRun[]) => Math.max(...runs.map(({ peakMiB }) => peakMiB)).toFixed(0)
  const ratios = ours.map(({ seconds }, round) => (own[round]?.seconds ?? Number.NaN) / seconds)
  return [
    `\`${title}\``,
    estimateText(estimate(rates(ours)), 0),
    estimateText(estimate(rates(own)), 0),
    estimateText(estimate(ratios)),
    highest(ours),
    highest(own),
  ]
}

/** What the model assumes: the largest PostgreSQL server that cloud providers rent, and how much of its cores is used. */
const LARGEST = { cores: 192, use: 0.7 }

function processesSection({ server, measurements }: ProcessesFigures): string[] {
  const heads = [
    '',
    'processes',
    'requests/s',
    'times one process',
    'CPU µs/request',
    'PostgreSQL µs/request',
    'cores busy, %',
  ]
  const modelHeads = [
    '',
    'service: requests/s a core',
    'PostgreSQL: requests/s a core',
    'service cores for one of PostgreSQL',
  ]
  const alone = measurements.filter(({ processes }) => processes === 1)
  return [
    '## Processes',
    `Several processes of the service on one database of ${server}, on all cores together with the client and the database. CPU time is that of the services. Where the cores are busy already, another process cannot add throughput.`,
    table(heads, measurements.map(processesRow)),
    '### What limits them',
    `The service has no state, so processes on cores of their own do not wait for each other, only for the database. From the CPU time of one request on each side, with both at ${LARGEST.use * 100}%, a server for PostgreSQL with ${LARGEST.cores} cores (the largest that cloud providers rent) serves this, and needs that many processes of the service, one for each core. It is an upper bound: locks and the write-ahead log inside PostgreSQL, and the network, are left out, and lists and reads can go to replicas.`,
    table([...modelHeads, `${LARGEST.cores} cores: requests/s`, 'processes of the service'], alone.map(modelRow)),
  ]
}

function processesRow({ operation, processes, series }: ProcessesMeasurement): string[] {
  const figure = (of: Figure, digits: number) => estimateText(figureOf(series, of), digits)
  return [
    operation.title,
    String(processes),
    figure(({ requestsPerSecond }) => requestsPerSecond, 0),
    estimateText(ratio(series, ({ requestsPerSecond }) => requestsPerSecond)),
    figure(({ cpuMicroseconds }) => cpuMicroseconds, 1),
    figure(({ databaseMicroseconds = Number.NaN }) => databaseMicroseconds, 1),
    figure(({ busy }) => busy * 100, 0),
  ]
}

function modelRow({ operation, series }: ProcessesMeasurement): string[] {
  const perCore = (of: Figure) => 1e6 / figureOf(series, of).middle
  const service = perCore(({ cpuMicroseconds }) => cpuMicroseconds)
  const database = perCore(({ databaseMicroseconds = Number.NaN }) => databaseMicroseconds)
  const most = database * LARGEST.cores * LARGEST.use
  const whole = (value: number) => (Number.isNaN(value) ? 'unknown' : Math.round(value).toLocaleString('en'))
  const ratioText = Number.isNaN(database) ? 'unknown' : (database / service).toFixed(1)
  return [operation.title, whole(service), whole(database), ratioText, whole(most), whole(most / service / LARGEST.use)]
}

/** Items with the same key together, keys in the order in which they come. */
function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): [string, Item[]][] {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return [...groups]
}
