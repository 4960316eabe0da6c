import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, startPostgresServer } from '@pet-store/testing-postgres'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { cpuTimeOfSiblings } from '../measuring/cpu-time.ts'
import { insertDataPets } from '../requests/data-set.ts'
import { type Database, PROGRAM } from './contestants.ts'
import { runProgram } from './program-run.ts'

/** A database with the data set, for one contestant alone. */
interface FilledDatabase {
  readonly url: string
  countPets(): Promise<number>
}

/** Databases that are all the same to begin with: our schema, and pets of the data set. */
export interface Databases {
  /** Which server, for PostgreSQL. */
  readonly description?: string
  /** The CPU time of that server so far, in nanoseconds; `undefined` when it is on another machine. */
  readonly cpu?: (() => number) | undefined
  create(name: string): Promise<FilledDatabase>
  /** Removes them all. */
  close(): Promise<void>
}

const PETS_A_STATEMENT = 1_000_000

export function openDatabases(database: Database, size: number): Promise<Databases> {
  return database === 'sqlite' ? openSqliteDatabases(size) : openPostgresDatabases(size)
}

/** SQLite files in a temporary folder. */
async function openSqliteDatabases(size: number): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-benchmark-'))
  const seed = join(folder, 'seed.db')
  await migrate(`sqlite:${seed}`)
  withSqlite(seed, (sqlite) => {
    for (const insert of insertsOf(size)) sqlite.exec(insert)
  })
  return {
    async create(name) {
      const file = join(folder, `${name}.db`)
      await copyFile(seed, file)
      return { url: `sqlite:${file}`, countPets: async () => withSqlite(file, countSqlitePets) }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Databases on a PostgreSQL server with its defaults, but more connections: it waits for the disk, as SQLite does. */
async function openPostgresDatabases(size: number): Promise<Databases> {
  const server = await startPostgresServer(['-c', 'max_connections=300'])
  const seed = await createDatabase(server.url)
  await migrate(seed.url)
  await withClient(seed.url, async (client) => {
    for (const insert of insertsOf(size)) await client.query(insert)
    // What the server would do by itself in the middle of a measurement.
    await client.query('vacuum analyze pet')
  })
  const seedName = new URL(seed.url).pathname.slice(1)
  const names = [seedName]
  const run = (sql: string) => withClient(server.url, (client) => client.query(sql))
  const { version, cpu } = await withClient(server.url, async (client) => {
    const { rows } = await client.query("select pg_backend_pid() as pid, current_setting('server_version') as version")
    return { version: rows[0]?.version, cpu: cpuTimeOfSiblings(rows[0]?.pid, 'postgres') }
  })
  return {
    description: `PostgreSQL ${version}: ${server.description}`,
    cpu,
    async create(name) {
      const copy = `${seedName}_${name.replaceAll('-', '_')}`
      await run(`create database ${copy} template ${seedName}`)
      names.push(copy)
      const { href } = Object.assign(new URL(server.url), { pathname: `/${copy}` })
      return { url: href, countPets: () => withClient(href, countPostgresPets) }
    },
    async close() {
      for (const name of names) await run(`drop database if exists ${name} with (force)`)
      await server.stop()
    },
  }
}

async function migrate(databaseUrl: string): Promise<void> {
  await runProgram({ program: [...PROGRAM, 'migrate'], databaseUrl })
}

async function countPostgresPets(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>('select count(*) from pet')
  return Number(rows[0]?.count)
}

/** The statements that fill a database with the data set. */
function* insertsOf(size: number): Generator<string> {
  for (let first = 1; first <= size; first += PETS_A_STATEMENT) {
    yield insertDataPets(first, Math.min(first + PETS_A_STATEMENT - 1, size), size)
  }
}

function countSqlitePets(sqlite: Sqlite.Database): number {
  return sqlite.prepare<[], number>('select count(*) from pet').pluck().get() ?? 0
}

function withSqlite<Result>(file: string, use: (sqlite: Sqlite.Database) => Result): Result {
  const sqlite = new Sqlite(file)
  try {
    return use(sqlite)
  } finally {
    sqlite.close()
  }
}

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
