import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bare, DATABASE_NAMES, type Database, PROGRAM } from '../servers/contestants.ts'
import { type Databases, openDatabases } from '../servers/databases.ts'
import { type ProgramRun, runProgram } from '../servers/program-run.ts'
import { type BulkFiles, expectSameBytes, FORMATS, type Format, writeBulkFiles } from './bulk-files.ts'

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

/** What one database needed to be filled and emptied in its own way, and where it is full. */
interface Filled {
  readonly url: string
  readonly load: ProgramRun
  readonly dump: ProgramRun
}

/** As much of a file as our import stores in one transaction. */
const CHUNK_BYTES = 512 * 1024

/** Measures our commands for many pets. Rejects when any of them loses or changes a pet. */
export async function measureBulk(pets: number, rounds: number, log: (line: string) => void): Promise<BulkFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-bulk-'))
  const starts: ProgramRun[] = []
  const measurements = new Map<string, BulkMeasurement>()
  try {
    log(`bulk: writing files with ${pets.toLocaleString('en')} pets`)
    const files = await writeBulkFiles(folder, pets)
    for (let round = 1; round <= rounds; round += 1) {
      log(`bulk: round ${round} of ${rounds}`)
      const sqlite = await openDatabases('sqlite', 0)
      const postgres = await openDatabases('postgres', 0)
      const bulkRound = new BulkRound({
        pets,
        folder,
        files,
        empty: { sqlite, postgres },
        measurements,
        oursFirst: round % 2 === 1,
      })
      try {
        starts.push(await bulkRound.exportNothing())
        await bulkRound.run()
      } finally {
        await sqlite.close()
        await postgres.close()
      }
    }
    return { pets, starts, measurements: [...measurements.values()] }
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface BulkRoundOptions {
  readonly pets: number
  readonly folder: string
  readonly files: BulkFiles
  readonly empty: Readonly<Record<Database, Databases>>
  readonly measurements: Map<string, BulkMeasurement>
  /** Alternates between rounds, so that nobody always runs first. */
  readonly oursFirst: boolean
}

/** Runs every command once, ours and the database's own way, and compares the pets after each. */
class BulkRound {
  readonly #options: BulkRoundOptions
  readonly #output: string

  constructor(options: BulkRoundOptions) {
    this.#options = options
    this.#output = join(options.folder, 'output')
  }

  async exportNothing(): Promise<ProgramRun> {
    const { url } = await this.#options.empty.sqlite.create('nothing')
    return this.#export('ndjson', url)
  }

  async run(): Promise<void> {
    const filled = { sqlite: await this.#importAndExport('sqlite'), postgres: await this.#importAndExport('postgres') }
    await this.#copy('sqlite', 'postgres', filled)
    await this.#copy('postgres', 'sqlite', filled)
  }

  async #importAndExport(database: Database): Promise<Filled> {
    const { empty, files } = this.#options
    let filled: Filled | undefined
    for (const format of FORMATS) {
      const { url } = await empty[database].create(`ours-${format}`)
      const other = await empty[database].create(`own-${format}`)
      const [imported, load] = await this.#inTurn(
        () => runProgram({ program: [...PROGRAM, 'import', files[format].path], databaseUrl: url }),
        () => runProgram({ program: this.#load(database, format), databaseUrl: other.url }),
      )
      this.#note(database, `import FILE.${format}`, imported, load)
      const [exported, dump] = await this.#inTurn(
        () => this.#export(format, url),
        () => this.#dump(database, url, `import FILE.${format} into ${DATABASE_NAMES[database]}`),
      )
      await expectSameBytes(this.#output, files[format], `export --format ${format} from ${DATABASE_NAMES[database]}`)
      await this.#dump(database, other.url, `the database that ${DATABASE_NAMES[database]} filled itself`)
      this.#note(database, `export --format ${format}`, exported, dump)
      filled ??= { url, load, dump }
    }
    if (filled === undefined) throw new Error('There is no format to import.')
    return filled
  }

  /** A copy is compared with reading the one database and then filling the other, both in their own ways. */
  async #copy(source: Database, target: Database, filled: Readonly<Record<Database, Filled>>): Promise<void> {
    const title = `copy --from ${source}:… --to ${target}:…`
    const { url } = await this.#options.empty[target].create('copy')
    const from = filled[source]
    const program = [...PROGRAM, 'copy', '--from', from.url, '--to', url]
    const ours = await runProgram({ program, databaseUrl: from.url })
    await this.#dump(target, url, title)
    const { load } = filled[target]
    const own = { seconds: from.dump.seconds + load.seconds, peakMiB: Math.max(from.dump.peakMiB, load.peakMiB) }
    this.#note(target, title, ours, own)
  }

  #export(format: Format, databaseUrl: string): Promise<ProgramRun> {
    const args = ['export', '--no-ids', '--format', format, '--output', this.#output]
    return runProgram({ program: [...PROGRAM, ...args], databaseUrl })
  }

  /** The database's own way in, in transactions as large as those of our import. */
  #load(database: Database, format: Format): string[] {
    const { pets, files } = this.#options
    const petsAChunk = Math.max(1, Math.floor((pets * CHUNK_BYTES) / files[format].bytes))
    const args = database === 'sqlite' ? [String(pets), String(petsAChunk)] : [files.copy.path]
    return [bare(`bulk-${database}`), 'load', ...args]
  }

  /** The database's own way out. Rejects unless exactly the data set comes out. */
  async #dump(database: Database, databaseUrl: string, title: string): Promise<ProgramRun> {
    const path = join(this.#options.folder, 'content')
    const dump = await runProgram({ program: [bare(`bulk-${database}`), 'dump', path], databaseUrl })
    await expectSameBytes(path, this.#options.files.copy, title)
    return dump
  }

  async #inTurn(ours: () => Promise<ProgramRun>, own: () => Promise<ProgramRun>): Promise<[ProgramRun, ProgramRun]> {
    if (this.#options.oursFirst) return [await ours(), await own()]
    const second = await own()
    return [await ours(), second]
  }

  #note(database: Database, title: string, ours: ProgramRun, own: ProgramRun): void {
    const key = `${database} ${title}`
    const { measurements } = this.#options
    const measurement = measurements.get(key) ?? { database, title, ours: [], own: [] }
    measurements.set(key, measurement)
    measurement.ours.push(ours)
    measurement.own.push(own)
  }
}
