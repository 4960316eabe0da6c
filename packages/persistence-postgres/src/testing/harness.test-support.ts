import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Migration } from '@mikro-orm/migrations'
import type { MigrationObject } from '@mikro-orm/postgresql'
import { addPetOfEachStatus, type PersistenceHarness } from '@pet-store/persistence-testing'
import { createDatabase, EmbeddedServer, runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { openPostgresBulkAccess } from '../bulk-access.ts'
import { postgresCapabilities } from '../database/settings.ts'
import { openPostgresPersistence } from '../open-persistence.ts'
import { MIGRATIONS } from '../schema.ts'

/** No version has a second migration yet, so one of tomorrow is made. */
class AddNote extends Migration {
  override up(): void {
    this.addSql('alter table pet add column note text')
  }
}
const NEXT: MigrationObject = { name: '9999-add-note', class: AddNote }

/** Of the source, or bundled with this file. */
const MODULE = new URL(`../index${extname(import.meta.url)}`, import.meta.url).href

/** In another time zone than this machine, so that times that are not converted are wrong. */
const FLAGS = ['-c', 'fsync=off', '-c', 'timezone=Asia/Kathmandu']
/** What a process that was killed has locked is free a moment later. */
const LOCK_TIMEOUT = "set lock_timeout = '10s'"
const EMPTY_TABLES = `${LOCK_TIMEOUT};
  truncate pet, idempotency_key, api_key, request_count, pet_import restart identity`
const FILL = `
  create function fill() returns trigger language plpgsql as
  $$ begin raise exception 'No space is left.' using errcode = 'disk_full'; end $$`
/** Without the tables of extensions. */
const TABLES = `
  select quote_ident(relname) as name from pg_class
  where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
  and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')`

type Harness = Required<
  Pick<
    PersistenceHarness,
    | 'concurrent'
    | 'databaseBeside'
    | 'interrupt'
    | 'freeze'
    | 'loseConnections'
    | 'pausedReplica'
    | 'close'
  >
>

/**
 * For `pet-store-adapter check --harness`: on the empty database of `--url`, or on a server of its
 * own, which it can also stop, freeze and replicate.
 */
export default async function createHarness(given?: string): Promise<PersistenceHarness> {
  const tables = async () => (await runSql<{ name: string }>(url, TABLES)).map(({ name }) => name)
  const server = given === undefined ? await EmbeddedServer.create() : undefined
  await server?.start(FLAGS)
  const url = given ?? (await createDatabase((server as EmbeddedServer).url)).url
  const found = await tables()
  if (found.length > 0)
    throw new Error(`The database has the tables ${found.join(', ')}. Name an empty one.`)
  let isMigrated = false
  const removeTables = async () => {
    const names = await tables()
    if (names.length > 0)
      await runSql(url, `${LOCK_TIMEOUT}; drop table ${names.join(', ')} cascade`)
  }
  const migrations = MIGRATIONS as MigrationObject[]
  const emptyDatabase = async ({ mayHaveSchema = false } = {}) => {
    if (migrations.at(-1) === NEXT) migrations.pop()
    await (mayHaveSchema && isMigrated ? runSql(url, EMPTY_TABLES) : removeTables())
    // Each of these cases opens it with migrations.
    isMigrated = mayHaveSchema
    return url
  }
  return {
    open: openPostgresPersistence,
    openBulkAccess: (options) => openPostgresBulkAccess({ ...options, bulkTimeoutMs: 15_000 }),
    capabilities: postgresCapabilities,
    emptyDatabase,
    async outdatedDatabase() {
      await emptyDatabase()
      const opened = await openPostgresPersistence({ url, mode: 'migrate' })
      const pets = await addPetOfEachStatus(opened.pets)
      await opened.close()
      migrations.push(NEXT)
      return {
        url,
        pets,
        async restore() {
          await runSql(url, 'alter table pet drop column note')
          await runSql(url, `delete from migration where name = '${NEXT.name}'`)
        },
      }
    },
    async newerDatabase() {
      await emptyDatabase()
      migrations.push(NEXT)
      const opened = await openPostgresPersistence({ url, mode: 'migrate' })
      const pets = await addPetOfEachStatus(opened.pets)
      await opened.close()
      migrations.pop()
      return { url, pets }
    },
    async migrateToNewer(of) {
      const names = (await tables()).filter((name) => name !== 'migration')
      const changes = names.map((name) => `alter table ${name} add column more text`)
      await runSql(of, changes.join(';'))
    },
    async deletePet(of, id) {
      await runSql(of, `delete from pet where id = ${id}`)
    },
    /** As PostgreSQL says that the disk is full. */
    async fill(of) {
      const triggers = (await tables()).map(
        (name) => `create trigger fill before insert or update on ${name} execute function fill()`,
      )
      await runSql(of, [FILL, ...triggers].join(';'))
      return { end: async () => void (await runSql(of, 'drop function fill cascade')) }
    },
    module: MODULE,
    exportName: 'openPostgresPersistence',
    bulkExportName: 'openPostgresBulkAccess',
    nodeOptions: ['--conditions=@pet-store/source'],
    ...(server === undefined ? { close: removeTables } : ownServer(server)),
  }
}

function ownServer(server: EmbeddedServer): Harness {
  return {
    concurrent: true,
    async databaseBeside(url) {
      const beside = new URL(url)
      beside.pathname += '0'
      const name = beside.pathname.slice(1)
      await runSql(server.url, `drop database if exists ${name}`)
      await runSql(server.url, `create database ${name}`)
      return beside.href
    },
    /** It first stores what it says nothing about: the outcome of those writes is unknown. */
    async interrupt() {
      await waitForStandby(server, 'nobody')
      await setTimeout(UNANSWERED_MS)
      await server.stop('immediate')
      return {
        async end() {
          await server.start(FLAGS)
          await waitForStandby(server, '')
        },
      }
    },
    async freeze() {
      const pids = await stopProcesses(server)
      return {
        async end() {
          // The postmaster last: it removes processes that have ended meanwhile.
          for (const pid of pids.toReversed()) process.kill(pid, 'SIGCONT')
        },
      }
    },
    async loseConnections() {
      const pids = await otherConnections(server)
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      return {
        async end() {
          for (const pid of pids) process.kill(pid, 'SIGCONT')
        },
      }
    },
    async pausedReplica(url) {
      const standby = await server.createStandby()
      await standby.start(FLAGS)
      await runSql(standby.url, 'select pg_wal_replay_pause()')
      return {
        url: Object.assign(new URL(url), { port: standby.port }).href,
        async resume() {
          await runSql(standby.url, 'select pg_wal_replay_resume()')
        },
        async pause() {
          await runSql(standby.url, 'select pg_wal_replay_pause()')
          while ((await runSql(standby.url, IS_REPLAYED_NO_MORE)).length === 0) await setTimeout(5)
        },
        async end() {
          await standby.stop()
          await standby.remove()
        },
      }
    },
    async close() {
      await server.stop()
      await server.remove()
    },
  }
}

/** A row once the replay has paused. */
const IS_REPLAYED_NO_MORE = "select where pg_get_wal_replay_pause_state() = 'paused'"

/** In this time writes are sent, and stored. */
const UNANSWERED_MS = 30

/** Lets each commit wait, once it is on the disk, for a standby of this name; with none it ends. */
async function waitForStandby({ url }: EmbeddedServer, name: string): Promise<void> {
  await runSql(url, `alter system set synchronous_standby_names = '${name}'`)
  await runSql(url, 'select pg_reload_conf()')
}

const OTHER_CONNECTIONS = 'select pid from pg_stat_activity where pid <> pg_backend_pid()'

/** The processes of a server that serve clients. */
async function otherConnections({ url }: EmbeddedServer): Promise<readonly number[]> {
  const clients = `${OTHER_CONNECTIONS} and backend_type = 'client backend'`
  return (await runSql<{ pid: number }>(url, clients)).map(({ pid }) => pid)
}

/** Stops all processes of a server that serve connections, and returns their ids. */
async function stopProcesses(server: EmbeddedServer): Promise<readonly number[]> {
  const client = new pg.Client(server.url)
  await client.connect()
  const file = await readFile(join(server.dataFolder, 'postmaster.pid'), 'utf8')
  const postmaster = Number(file.split('\n')[0])
  // First: from now on it makes no process for a new connection.
  process.kill(postmaster, 'SIGSTOP')
  const stopped = new Set([postmaster])
  // A process that was made just before is listed a moment later.
  for (let before = 0; before < stopped.size; ) {
    before = stopped.size
    await setTimeout(20)
    const { rows } = await client.query<{ pid: number }>(OTHER_CONNECTIONS)
    for (const { pid } of rows.filter(({ pid }) => !stopped.has(pid))) {
      process.kill(pid, 'SIGSTOP')
      stopped.add(pid)
    }
  }
  await client.end()
  return [...stopped]
}
