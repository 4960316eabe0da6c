import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BulkAccess, openPostgresBulk } from '@pet-store/persistence-postgres'
import { openSqliteBulk } from '@pet-store/persistence-sqlite'
import { createDatabase } from '@pet-store/testing-postgres'
import pg from 'pg'
import { dataPet } from './data-set.ts'

/** A database with the data set, for one contestant alone. */
interface FilledDatabase {
  readonly url: string
  countPets(): Promise<number>
}

/** Makes databases that are all the same to begin with: our schema, and so many pets of the data set. */
export interface Databases {
  create(name: string): Promise<FilledDatabase>
  /** Removes them all. */
  drop(): Promise<void>
}

const BATCH = 5_000

/** SQLite files in a temporary folder. */
export async function sqliteDatabases(size: number): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-benchmark-'))
  const seed = join(folder, 'seed.db')
  const bulk = await openSqliteBulk({ url: `sqlite:${seed}`, migrate: true })
  await fill(bulk, size)
  return {
    async create(name) {
      const file = join(folder, `${name}.db`)
      await copyFile(seed, file)
      const url = `sqlite:${file}`
      return { url, countPets: async () => countPets(await openSqliteBulk({ url })) }
    },
    drop: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Databases on a PostgreSQL server. */
export async function postgresDatabases(serverUrl: string, size: number): Promise<Databases> {
  const seed = await createDatabase(serverUrl)
  await fill(await openPostgresBulk({ url: seed.url, migrate: true }), size)
  // What the server would find out by itself in the middle of a measurement.
  await run(seed.url, 'vacuum analyze pet')
  const seedName = nameIn(seed.url)
  const names = [seedName]
  return {
    async create(name) {
      const copy = `${seedName}_${name.replaceAll('-', '_')}`
      await run(serverUrl, `create database ${copy} template ${seedName}`)
      names.push(copy)
      const url = new URL(serverUrl)
      url.pathname = `/${copy}`
      return { url: url.href, countPets: async () => countPets(await openPostgresBulk({ url: url.href })) }
    },
    async drop() {
      for (const name of names) await run(serverUrl, `drop database if exists ${name} with (force)`)
    },
  }
}

/** Which PostgreSQL a server is. */
export async function postgresVersion(serverUrl: string): Promise<string> {
  const { rows } = await run(serverUrl, 'show server_version')
  return String(rows[0]?.server_version)
}

async function fill(bulk: BulkAccess, size: number): Promise<void> {
  for (let first = 1; first <= size; first += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, size - first + 1) }, (_, index) => first + index)
    await bulk.writePets(
      ids.map((id) => {
        const { name, categoryId, status } = dataPet(id, size)
        return { id: BigInt(id), name, category_id: BigInt(categoryId), status, ...NEVER_ONCE }
      }),
    )
  }
  await bulk.movePetIdsPast(BigInt(size))
  await bulk.close()
}

const NEVER_ONCE = { once_owner: null, once_key: null, once_fingerprint: null, once_at: null }

async function countPets(bulk: BulkAccess): Promise<number> {
  const count = await bulk.countPets()
  await bulk.close()
  return count
}

async function run(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1)
}
