import type { BulkFigures, BulkMeasurement } from './bulk.ts'
import type { Report } from './comparison-report.ts'
import { DATABASE_NAMES, DATABASES } from './contestant.ts'
import type { Circumstances } from './machine.ts'
import { circumstancesTable, spreadText, table } from './markdown.ts'
import type { ProgramRun } from './program-run.ts'
import { ratios, spread } from './statistics.ts'

const HEADS = ['', 'pets/s', 'own way, pets/s', 'of the own way', 'MiB at the highest', 'own way, MiB']

/** How near bulk work comes to what the database can do itself. */
export function bulkReport({ pets, server, starts, measurements }: BulkFigures, circumstances: Circumstances): Report {
  const number = pets.toLocaleString('en')
  const start = spreadText(spread(starts.map(({ seconds }) => seconds)))
  const page = [
    '# How fast many pets come in and go out',
    `${number} pets, by the built program as a process of its own, from its start to its end, beside the database's own way with the same pets, columns and indexes. On SQLite that is one prepared statement in transactions of the same size, as durable, and one that is iterated to a file; on PostgreSQL it is COPY. A copy is held against reading the one and then filling the other in their own ways, although it also reads both sides again to compare them. Where there is nothing to do, the program takes ${start} s: the fewer pets, the more of the time is that.`,
    'The median of all rounds, and the lowest and the highest; ratios are formed within each round. After each run everything was taken out of the database and compared with the data set, byte for byte; an export must be the file that was imported.',
    circumstancesTable([...circumstances, ['PostgreSQL', server]]),
    ...DATABASES.flatMap((database) => {
      const rows = measurements.filter((measurement) => measurement.database === database)
      return [
        `## ${DATABASE_NAMES[database]}`,
        table(
          HEADS,
          rows.map((measurement) => row(measurement, pets)),
        ),
      ]
    }),
  ]
  return { 'bulk.md': `${page.join('\n\n')}\n` }
}

function row({ title, ours, own }: BulkMeasurement, pets: number): string[] {
  const rates = (runs: readonly ProgramRun[]) => runs.map(({ seconds }) => pets / seconds)
  const highest = (runs: readonly ProgramRun[]) => Math.max(...runs.map(({ peakMiB }) => peakMiB)).toFixed(0)
  return [
    `\`${title}\``,
    spreadText(spread(rates(ours)), 0),
    spreadText(spread(rates(own)), 0),
    spreadText(ratios(rates(ours), rates(own))),
    highest(ours),
    highest(own),
  ]
}
