import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { BulkAccess, OpenPersistence } from '@pet-store/persistence'
import {
  type CheckOptions,
  checkCommand,
  databasesBeside,
  type PersistenceHarness,
} from '@pet-store/persistence-testing'
import pg from 'pg'
import { DATABASE_URL_RULE, databaseKind } from '../settings/database-url.ts'
import { readSettings } from '../settings/read-settings.ts'
import { persistenceAdapter } from './open-persistence.ts'
import type { PersistenceAdapter } from './persistence-adapter.ts'

/** Runs every contract against the adapter of a URL, or of a module. */
export async function checkAdapterCommand(options: CheckOptions): Promise<void> {
  const module = options.module ?? (readSettings().persistenceModule || undefined)
  const code = await checkCommand({ ...options, ...(module !== undefined && { module }) }, builtInHarness)
  // What a broken adapter has left running must not keep the process alive.
  process.stdout.write('', () => process.exit(code))
}

/** Opens the database of a URL, with all other settings as they are. Another process imports it, to be killed. */
export const openBuiltIn: OpenPersistence = ({ url, ...mode }) => adapterOf(url).open(mode)

function adapterOf(databaseUrl: string): PersistenceAdapter {
  return persistenceAdapter({ ...readSettings(), databaseUrl, persistenceModule: '', databaseReplicaUrls: [] })
}

async function builtInHarness(url: string): Promise<Partial<PersistenceHarness>> {
  // A harness of its own brings what is missing.
  if (url === '') return {}
  const kind = databaseKind(url)
  if (kind === undefined) throw new Error(`The URL ${DATABASE_URL_RULE}. For an adapter of your own add --module.`)
  const capabilities = await adapterOf(url).capabilities()
  return {
    open: openBuiltIn,
    // Both have it.
    openBulkAccess: ({ url: place, ...mode }) => adapterOf(place).openBulkAccess(mode) as Promise<BulkAccess>,
    ...(capabilities && { capabilities }),
    module: import.meta.url,
    exportName: 'openBuiltIn',
    nodeOptions: process.execArgv,
    ...(await (kind === 'sqlite' ? filesBeside(url) : tablesOf(url))),
  }
}

/** Where the adapter of PostgreSQL stores which migrations have run. */
const MIGRATION_TABLE = 'migration'

type Places = Pick<PersistenceHarness, 'emptyDatabase' | 'interrupt' | 'close'>

/** SQLite: files in the same folder, which are removed at the end. */
async function filesBeside(url: string): Promise<Places> {
  const path = (place: string) => place.slice('sqlite:'.length)
  const file = await stat(path(url)).catch(() => undefined)
  if (file !== undefined && file.size > 0)
    throw new Error(`The file ${path(url)} is not empty. Name one that does not exist.`)
  const nextPlace = databasesBeside(url)
  const made: string[] = []
  return {
    async emptyDatabase() {
      const place = await nextPlace()
      made.push(path(place))
      return place
    },
    /** The file is moved, as an operator may do by mistake. */
    async interrupt(place) {
      await rename(path(place), `${path(place)}.moved`)
      return { readsWork: true, end: () => rename(`${path(place)}.moved`, path(place)) }
    },
    async close() {
      for (const folder of new Set(made.map((one) => dirname(one)))) {
        const names = await readdir(folder).catch(() => [])
        const ours = names.filter((name) => made.some((one) => name.startsWith(`${basename(one)}`)))
        for (const name of ours) await rm(join(folder, name))
      }
    },
  }
}

/** PostgreSQL: the same database again and again, without its tables or with empty ones. It must have none before. */
async function tablesOf(url: string): Promise<Places> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const tables = async () => {
    const { rows } = await client.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
       and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')`,
    )
    return rows.map(({ name }) => name)
  }
  const found = await tables()
  if (found.length > 0) {
    await client.end()
    throw new Error(`The database is not empty: it has the tables ${found.join(', ')}. Name an empty database.`)
  }
  await client.query("set lock_timeout = '10s'")
  const removeTables = async () => {
    const names = await tables()
    if (names.length > 0) await client.query(`drop table ${names.join(', ')} cascade`)
  }
  const emptyTables = async () => {
    const names = (await tables()).filter((name) => name !== MIGRATION_TABLE)
    if (names.length > 0) await client.query(`truncate ${names.join(', ')} restart identity cascade`)
  }
  let isMigrated = false
  return {
    async emptyDatabase({ mayHaveSchema = false } = {}) {
      await (mayHaveSchema && isMigrated ? emptyTables() : removeTables())
      // Each of these cases opens it with migrations.
      isMigrated = mayHaveSchema
      return url
    },
    async close() {
      await removeTables()
      await client.end()
    },
  }
}
