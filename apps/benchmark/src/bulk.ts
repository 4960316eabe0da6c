import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgresServer } from '@pet-store/testing-postgres'
import { OURS } from './bulk-commands.ts'
import { writeBulkFiles } from './bulk-files.ts'
import { type BulkJob, takeRound } from './bulk-round.ts'
import { DATABASES } from './contestant.ts'
import { type Databases, postgresDatabases, postgresVersion, sqliteDatabases } from './databases.ts'
import type { Pinning } from './pinning.ts'
import { type ProgramRun, runProgram } from './program-run.ts'

/** A job in all rounds: by our command, and in the database's own way. */
export interface BulkMeasurement extends BulkJob {
  readonly ours: ProgramRun[]
  readonly own: ProgramRun[]
}

export interface BulkFigures {
  readonly pets: number
  /** Which PostgreSQL. */
  readonly server: string
  /** What a command of ours takes in each round where there is nothing to do. */
  readonly starts: readonly ProgramRun[]
  readonly measurements: readonly BulkMeasurement[]
}

interface BulkOptions {
  readonly pets: number
  readonly rounds: number
  readonly pinning: Pinning
  readonly say: (line: string) => void
}

/** Measures our commands for many pets, and checks after each that everything is where it must be. */
export async function measureBulk(options: BulkOptions): Promise<BulkFigures> {
  const { pets, rounds, say } = options
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-bulk-'))
  const server = await startPostgresServer()
  try {
    say(`writing files with ${pets.toLocaleString('en')} pets`)
    const files = await writeBulkFiles(folder, pets)
    const measurements = new Map<string, BulkMeasurement>()
    const starts: ProgramRun[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const empty = { sqlite: await sqliteDatabases(0), postgres: await postgresDatabases(server.url, 0) }
      const note = (job: BulkJob, ours: ProgramRun, own: ProgramRun) => {
        const key = `${job.database} ${job.title}`
        const measurement = measurements.get(key) ?? { ...job, ours: [], own: [] }
        measurements.set(key, measurement)
        measurement.ours.push(ours)
        measurement.own.push(own)
      }
      const sayInRound = (line: string) => say(`round ${round} of ${rounds}: ${line}`)
      try {
        starts.push(await exportNothing(empty.sqlite, options, folder))
        await takeRound({ ...options, round, say: sayInRound, folder, files, empty, note })
      } finally {
        for (const database of DATABASES) await empty[database].drop()
      }
    }
    const description = `PostgreSQL ${await postgresVersion(server.url)}: ${server.description}`
    return { pets, server: description, starts, measurements: [...measurements.values()] }
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

async function exportNothing(empty: Databases, { pinning }: BulkOptions, folder: string): Promise<ProgramRun> {
  const { url } = await empty.create('nothing')
  return runProgram({ program: OURS.export('ndjson', join(folder, 'output')), databaseUrl: url, pinning })
}
