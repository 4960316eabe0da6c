import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, startPostgresServer } from '@pet-store/testing-postgres'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { cpuTimeOfSiblings } from '../measuring/cpu-time.ts'
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

export async function openDatabases(database: Database, size: number): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-benchmark-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  try {
    const pets = join(folder, 'pets.ndjson')
    await writeDataSet(pets, size)
    if (database === 'sqlite') return { size, ...(await openSqliteDatabases(folder, pets)), close: removeFolder }
    const databases = await openPostgresDatabases(pets)
    await removeFolder()
    return { size, ...databases }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

/** Fills the first database, of which all others are copies, with our own commands. */
async function fill(url: string, pets: string): Promise<void> {
  await runCommand(['migrate'], url)
  await runCommand(['import', pets], url)
}

async function openSqliteDatabases(folder: string, pets: string): Promise<Omit<Databases, 'size' | 'close'>> {
  const seed = join(folder, 'seed.db')
  await fill(`sqlite:${seed}`, pets)
  let count = 0
  return {
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
  }
}

/** Databases on a PostgreSQL server with its defaults, but more connections: it waits for the disk, as SQLite does. */
async function openPostgresDatabases(pets: string): Promise<Omit<Databases, 'size'>> {
  const server = await startPostgresServer(['-c', 'max_connections=300'])
  const seed = await createDatabase(server.url)
  await fill(seed.url, pets)
  // What the server would do by itself in the middle of a measurement.
  await query(seed.url, 'vacuum analyze')
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  const { rows } = await admin.query("select pg_backend_pid() as pid, current_setting('server_version') as version")
  const seedName = new URL(seed.url).pathname.slice(1)
  const names = [seedName]
  return {
    description: `PostgreSQL ${rows[0]?.version}: ${server.description}`,
    cpu: cpuTimeOfSiblings(rows[0]?.pid, 'postgres'),
    async create() {
      const copy = `${seedName}_${names.length}`
      await admin.query(`create database ${copy} template ${seedName}`)
      names.push(copy)
      const { href } = Object.assign(new URL(server.url), { pathname: `/${copy}` })
      return { url: href, countPets: async () => Number((await query(href, COUNT))[0]?.count) }
    },
    async close() {
      for (const name of names) await admin.query(`drop database if exists ${name} with (force)`)
      await admin.end()
      await server.stop()
    },
  }
}

async function query(url: string, sql: string): Promise<{ readonly count?: string }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
