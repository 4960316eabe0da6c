import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import { createDatabase, runSql, startPostgresServer } from '@pet-store/testing-postgres'
import Sqlite from 'better-sqlite3'
import { type CpuClock, createPostgresClock } from '../measuring/cpu-time.ts'
import { writeDataSet } from '../requests/data-set.ts'
import type { Database } from './contestants.ts'
import { type CommandRun, runCommand } from './server-process.ts'

/** A database with the data set, for one contestant alone. */
interface FilledDatabase {
  readonly url: string
  /** How long its pets took. */
  readonly imported: CommandRun
  /** The CPU time of its server; `undefined` if that is on another machine. */
  readonly cpu?: CpuClock | undefined
  countPets(): Promise<number>
}

/**
 * Databases that are all the same to begin with: our schema and the data set, by our own command.
 */
export interface Databases {
  /** Which server, for PostgreSQL. */
  readonly description?: string
  /** Creates one with this many pets, or fills the one of this URL, which stays. */
  create(size: number, url?: string): Promise<FilledDatabase>
  /** Removes them all. */
  close(): Promise<void>
}

const COUNT = 'select count(*) as count from pet'

export function openDatabases(database: Database): Promise<Databases> {
  return database === 'sqlite' ? openSqliteDatabases() : openPostgresDatabases()
}

async function openSqliteDatabases(): Promise<Databases> {
  const folder = await temporaryFolder()
  return {
    async create(size) {
      const file = join(folder, `${randomUUID()}.db`)
      const url = `sqlite:${file}`
      async function countPets(): Promise<number> {
        const sqlite = new Sqlite(file)
        const pets = sqlite.prepare<[], number>(COUNT).pluck().get()
        sqlite.close()
        return pets ?? 0
      }
      return { url, imported: await importDataSet(url, size), countPets }
    },
    close: () => rm(folder, { recursive: true }),
  }
}

/**
 * Databases on a PostgreSQL server with its defaults, but more connections: it waits for the disk,
 * as SQLite does.
 */
async function openPostgresDatabases(): Promise<Databases> {
  const server = await startPostgresServer(['-c', 'max_connections=300'])
  const drops: (() => Promise<void>)[] = []
  async function createEmpty(): Promise<string> {
    const { url, drop } = await createDatabase(server.url)
    drops.push(drop)
    return url
  }
  const { version } = await factsOf(server.url)
  return {
    description: `PostgreSQL ${version}: ${server.description}`,
    async create(size, given) {
      const url = given ?? (await createEmpty())
      const imported = await importDataSet(url, size)
      // What the server would do by itself in the middle of a measurement.
      await runSql(url, 'vacuum analyze')
      const { checkpointer } = await factsOf(url)
      const countPets = async () => Number((await runSql<{ count: string }>(url, COUNT))[0]?.count)
      return { url, imported, cpu: createPostgresClock(checkpointer), countPets }
    },
    async close() {
      for (const drop of drops) await drop()
      await server.stop()
    },
  }
}

interface ServerFacts {
  readonly version: string
  /** The id of a process that lives as long as the server. */
  readonly checkpointer: number
}

async function factsOf(url: string): Promise<ServerFacts> {
  const [facts] = await runSql<ServerFacts>(
    url,
    `select current_setting('server_version') as version,
      (select pid from pg_stat_activity where backend_type = 'checkpointer') as checkpointer`,
  )
  return facts ?? { version: '', checkpointer: 0 }
}

async function importDataSet(url: string, size: number): Promise<CommandRun> {
  const file = join(await temporaryFolder(), 'pets.ndjson')
  await writeDataSet(file, size)
  const run = await runCommand(['import', file], url)
  await rm(file)
  return run
}
