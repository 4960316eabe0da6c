import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bare, DATABASE_NAMES, DATABASES, type Database, PROGRAM } from '../servers/contestants.ts'
import { type Databases, openDatabases } from '../servers/databases.ts'
import { type ProgramRun, runProgram } from '../servers/program-run.ts'
import { type BulkFiles, expectSameBytes, FORMATS, writeBulkFiles } from './bulk-files.ts'

/** One command in all rounds: ours, and the database's own way. */
export interface BulkMeasurement {
  /** The database that is filled or emptied. */
  readonly database: Database
  readonly title: string
  readonly ours: ProgramRun[]
  readonly own: ProgramRun[]
}

export interface BulkFigures {
  readonly pets: number
  /** A command of ours that has nothing to do. */
  readonly starts: readonly ProgramRun[]
  readonly measurements: readonly BulkMeasurement[]
}

/** What a round needs. */
interface Round {
  readonly pets: number
  readonly folder: string
  readonly files: BulkFiles
  readonly empty: Readonly<Record<Database, Databases>>
  readonly note: (database: Database, title: string, ours: ProgramRun, own: ProgramRun) => void
}

/** A full database, and how long it took to fill and empty another one in its own way. */
interface Filled {
  readonly url: string
  readonly load: ProgramRun
  readonly dump: ProgramRun
}

/** About as many as come with one transaction of our import. */
const PETS_A_TRANSACTION = 7_500

/** Measures our commands for many pets. Rejects when any of them loses or changes a pet. */
export async function measureBulk(pets: number, rounds: number, log: (line: string) => void): Promise<BulkFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-bulk-'))
  const starts: ProgramRun[] = []
  const measurements = new Map<string, BulkMeasurement>()
  try {
    log(`bulk: writing files with ${pets.toLocaleString('en')} pets`)
    const files = await writeBulkFiles(folder, pets)
    for (let count = 1; count <= rounds; count += 1) {
      log(`bulk: round ${count} of ${rounds}`)
      const empty = { sqlite: await openDatabases('sqlite', 0), postgres: await openDatabases('postgres', 0) }
      const round: Round = { pets, folder, files, empty, note }
      try {
        const { url } = await empty.sqlite.create('nothing')
        starts.push(await run(['export', '--output', join(folder, 'output')], url))
        const filled = {
          sqlite: await importAndExport('sqlite', round),
          postgres: await importAndExport('postgres', round),
        }
        await copy('sqlite', 'postgres', filled, round)
        await copy('postgres', 'sqlite', filled, round)
      } finally {
        for (const database of DATABASES) await empty[database].close()
      }
    }
    return { pets, starts, measurements: [...measurements.values()] }
  } finally {
    await rm(folder, { recursive: true })
  }

  function note(database: Database, title: string, ours: ProgramRun, own: ProgramRun): void {
    const key = `${database} ${title}`
    const measurement = measurements.get(key) ?? { database, title, ours: [], own: [] }
    measurements.set(key, measurement)
    measurement.ours.push(ours)
    measurement.own.push(own)
  }
}

async function importAndExport(database: Database, round: Round): Promise<Filled> {
  const { pets, folder, files, empty, note } = round
  const own = await empty[database].create('own')
  const program = [bare('bulk'), 'load', files.copy.path, String(pets), String(PETS_A_TRANSACTION)]
  const load = await runProgram({ program, databaseUrl: own.url })
  const dump = await expectFull(own.url, `The database that ${DATABASE_NAMES[database]} filled itself`, round)
  const output = join(folder, 'output')
  for (const format of FORMATS) {
    const { url } = await empty[database].create(format)
    note(database, `import FILE.${format}`, await run(['import', files[format].path], url), load)
    await expectFull(url, `import FILE.${format} into ${DATABASE_NAMES[database]}`, round)
    const exported = await run(['export', '--no-ids', '--format', format, '--output', output], url)
    await expectSameBytes(output, files[format], `export --format ${format} from ${DATABASE_NAMES[database]}`)
    note(database, `export --format ${format}`, exported, dump)
  }
  return { url: own.url, load, dump }
}

/** A copy is compared with reading the one database and then filling the other, both in their own ways. */
async function copy(
  source: Database,
  target: Database,
  filled: Readonly<Record<Database, Filled>>,
  round: Round,
): Promise<void> {
  const title = `copy --from ${source}:… --to ${target}:…`
  const { url } = await round.empty[target].create('copy')
  const { url: from, dump } = filled[source]
  const ours = await run(['copy', '--from', from, '--to', url], from)
  await expectFull(url, title, round)
  const { load } = filled[target]
  const peakMiB = Math.max(dump.peakMiB, load.peakMiB)
  round.note(target, title, ours, { seconds: dump.seconds + load.seconds, peakMiB })
}

function run(args: readonly string[], databaseUrl: string): Promise<ProgramRun> {
  return runProgram({ program: [...PROGRAM, ...args], databaseUrl })
}

/** Empties a database in its own way. Rejects unless exactly the data set comes out. */
async function expectFull(databaseUrl: string, title: string, { folder, files }: Round): Promise<ProgramRun> {
  const path = join(folder, 'content')
  const dump = await runProgram({ program: [bare('bulk'), 'dump', path], databaseUrl })
  await expectSameBytes(path, files.copy, title)
  return dump
}
