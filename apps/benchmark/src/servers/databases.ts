import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createDatabase, startPostgresServer } from '@pet-store/testing-postgres'
import pg from 'pg'
import { from } from 'pg-copy-streams'
import { cpuTimeOfSiblings } from '../measuring/cpu-time.ts'
import { dataPet } from '../requests/data-set.ts'
import { type Database, PROGRAM } from './contestants.ts'
import { runProgram } from './program-run.ts'
import { copyLine, countSqlitePets, fillSqlite } from './sqlite-file.ts'

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

const PETS_A_TRANSACTION = 10_000

export function openDatabases(database: Database, size: number): Promise<Databases> {
  return database === 'sqlite' ? openSqliteDatabases(size) : openPostgresDatabases(size)
}

/** SQLite files in a temporary folder. */
async function openSqliteDatabases(size: number): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-benchmark-'))
  const seed = join(folder, 'seed.db')
  await migrate(`sqlite:${seed}`)
  fillSqlite(seed, size, PETS_A_TRANSACTION)
  return {
    async create(name) {
      const file = join(folder, `${name}.db`)
      await copyFile(seed, file)
      return { url: `sqlite:${file}`, countPets: async () => countSqlitePets(file) }
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
    await pipeline(
      Readable.from(copyLines(size)),
      client.query(from('copy pet (name, category_id, status) from stdin')),
    )
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

function* copyLines(size: number): Generator<string> {
  for (let id = 1; id <= size; id += 1) yield copyLine(dataPet(id, size))
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
