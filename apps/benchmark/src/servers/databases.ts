import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, runSql, startPostgresServer } from '@pet-store/testing-postgres'
import Sqlite from 'better-sqlite3'
import { cpuTimeOfPostgres } from '../measuring/cpu-time.ts'
import { writeDataSet } from '../requests/data-set.ts'
import type { Database } from './contestants.ts'
import { runCommand } from './server-process.ts'

/** A database with the data set, for one contestant alone. */
interface FilledDatabase {
  readonly url: string
  countPets(): Promise<number>
}

/** Databases that are all the same to begin with: our schema, and the pets of the data set. */
export interface Databases {
  /** Which server, for PostgreSQL. */
  readonly description?: string
  /** The CPU time of that server so far, in nanoseconds; `undefined` when it is on another machine. */
  readonly cpu?: (() => number) | undefined
  readonly size: number
  create(): Promise<FilledDatabase>
  /** Removes them all. */
  close(): Promise<void>
}

const COUNT = 'select count(*) as count from pet'

export function openDatabases(database: Database, size: number): Promise<Databases> {
  return database === 'sqlite' ? openSqliteDatabases(size) : openPostgresDatabases(size)
}

/** Fills the first database, of which all others are copies, with our own commands. */
async function fill(url: string, size: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-benchmark-'))
  try {
    const pets = join(folder, 'pets.ndjson')
    await writeDataSet(pets, size)
    await runCommand(['migrate'], url)
    await runCommand(['import', pets], url)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function openSqliteDatabases(size: number): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-benchmark-'))
  const seed = join(folder, 'seed.db')
  await fill(`sqlite:${seed}`, size)
  let count = 0
  return {
    size,
    async create() {
      count += 1
      const file = join(folder, `${count}.db`)
      await copyFile(seed, file)
      async function countPets(): Promise<number> {
        const sqlite = new Sqlite(file)
        const pets = sqlite.prepare<[], number>(COUNT).pluck().get()
        sqlite.close()
        return pets ?? 0
      }
      return { url: `sqlite:${file}`, countPets }
    },
    close: () => rm(folder, { recursive: true }),
  }
}

/** Databases on a PostgreSQL server with its defaults, but more connections: it waits for the disk, as SQLite does. */
async function openPostgresDatabases(size: number): Promise<Databases> {
  const server = await startPostgresServer(['-c', 'max_connections=300'])
  const seed = await createDatabase(server.url)
  const all = [seed]
  await fill(seed.url, size)
  // What the server would do by itself in the middle of a measurement.
  await runSql(seed.url, 'vacuum analyze')
  // The checkpointer lives as long as the server.
  const [facts] = await runSql<{ readonly version: string; readonly pid: number }>(
    server.url,
    "select current_setting('server_version') as version, (select pid from pg_stat_activity where backend_type = 'checkpointer')",
  )
  return {
    size,
    description: `PostgreSQL ${facts?.version}: ${server.description}`,
    cpu: cpuTimeOfPostgres(facts?.pid ?? 0),
    async create() {
      const copy = await createDatabase(server.url, seed)
      all.push(copy)
      const countPets = async () => Number((await runSql<{ count: string }>(copy.url, COUNT))[0]?.count)
      return { url: copy.url, countPets }
    },
    async close() {
      for (const { drop } of all) await drop()
      await server.stop()
    },
  }
}
