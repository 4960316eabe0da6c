import { join } from 'node:path'
import { OURS, OWN } from './bulk-commands.ts'
import { type BulkFile, type BulkFiles, expectSameBytes, FORMATS } from './bulk-files.ts'
import { DATABASE_NAMES, type Database } from './contestant.ts'
import type { Databases } from './databases.ts'
import type { Pinning } from './pinning.ts'
import { type ProgramRun, runProgram } from './program-run.ts'

/** What was done with many pets. */
export interface BulkJob {
  readonly database: Database
  readonly title: string
}

/** What a round needs, and whom it tells what it measured. */
export interface RoundOptions {
  readonly round: number
  readonly pets: number
  readonly pinning: Pinning
  readonly say: (line: string) => void
  readonly folder: string
  readonly files: BulkFiles
  readonly empty: Readonly<Record<Database, Databases>>
  readonly note: (job: BulkJob, ours: ProgramRun, own: ProgramRun) => void
}

/** What one database needed for filling and emptying in its own way, and where it is full. */
interface Filled {
  readonly url: string
  readonly load: ProgramRun
  readonly dump: ProgramRun
}

/** Does every job once, by our command and in the database's own way, and checks after each that all is where it must be. */
export async function takeRound(options: RoundOptions): Promise<void> {
  const sqlite = await fillAndEmpty('sqlite', options)
  const postgres = await fillAndEmpty('postgres', options)
  await copy('sqlite', sqlite, 'postgres', postgres, options)
  await copy('postgres', postgres, 'sqlite', sqlite, options)
}

/** Imports and exports each format on one database. */
async function fillAndEmpty(database: Database, options: RoundOptions): Promise<Filled> {
  const { pets, pinning, round, say, folder, files, empty, note } = options
  const run = (program: readonly string[], databaseUrl: string) => runProgram({ program, databaseUrl, pinning })
  const output = join(folder, 'output')
  let filled: Filled | undefined
  for (const format of FORMATS) {
    say(`${database}: ${format}`)
    const { url } = await empty[database].create(`ours-${format}`)
    const other = await empty[database].create(`own-${format}`)
    const [imported, load] = await inTurn(
      round,
      () => run(OURS.import(files[format]), url),
      () => run(OWN.load(database, files, format, pets), other.url),
    )
    note({ database, title: `import FILE.${format}` }, imported, load)

    const [exported, dump] = await inTurn(
      round,
      () => run(OURS.export(format, output), url),
      () => expectFull(database, url, `import FILE.${format} into ${DATABASE_NAMES[database]}`, options),
    )
    await expectSameBytes(output, files[format], `export --format ${format} from ${DATABASE_NAMES[database]}`)
    await expectFull(database, other.url, `The database that ${DATABASE_NAMES[database]} filled itself`, options)
    note({ database, title: `export --format ${format}` }, exported, dump)
    filled ??= { url, load, dump }
  }
  if (filled === undefined) throw new Error('There is no format to import.')
  return filled
}

/** Nobody is always the first one. */
async function inTurn(
  round: number,
  ours: () => Promise<ProgramRun>,
  own: () => Promise<ProgramRun>,
): Promise<[ours: ProgramRun, own: ProgramRun]> {
  if (round % 2 === 1) return [await ours(), await own()]
  const second = await own()
  return [await ours(), second]
}

/** Copies a database to the other kind; in their own way that is reading the one, then filling the other. */
async function copy(
  source: Database,
  from: Filled,
  target: Database,
  { load }: Filled,
  options: RoundOptions,
): Promise<void> {
  const { pinning, say, empty, note } = options
  const title = `copy --from ${source}:… --to ${target}:…`
  say(title)
  const { url } = await empty[target].create('copy')
  const ours = await runProgram({ program: OURS.copy(from.url, url), databaseUrl: from.url, pinning })
  await expectFull(target, url, title, options)
  const seconds = from.dump.seconds + load.seconds
  note({ database: target, title }, ours, { seconds, peakMiB: Math.max(from.dump.peakMiB, load.peakMiB) })
}

/** Takes everything out of a database in its own way. Throws where that is not exactly the data set. */
async function expectFull(
  database: Database,
  databaseUrl: string,
  what: string,
  { pinning, folder, files }: { pinning: Pinning; folder: string; files: { copy: BulkFile } },
): Promise<ProgramRun> {
  const path = join(folder, 'content')
  const dump = await runProgram({ program: OWN.dump(database, path), databaseUrl, pinning })
  await expectSameBytes(path, files.copy, what)
  return dump
}
