import { chmod, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { validateNewPet } from '@pet-store/domain'
import {
  migratePostgres,
  openPostgresPersistence,
  type PostgresPersistence,
} from '@pet-store/persistence-postgres'
import { until } from '@pet-store/testing'
import { type EmbeddedServer, runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { postgresFlags } from '../harness/database.ts'
import { IS_LONG, randomOf, report } from '../harness/experiment.ts'
import { figures, Ledger, NOTHING_WRONG } from '../harness/ledger.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { Service } from '../harness/service.ts'
import { mountSmallDisk } from '../harness/small-disk.ts'
import { startTranslatedPostgres, translateErrors } from '../harness/translated-postgres.ts'
import { startMixedWriters, untilMore } from '../harness/writers.ts'

const PET = validateNewPet({ name: 'Rex', categoryId: 1n })
const CREATE_CLERK = `
  create role clerk login;
  grant select, insert, update, delete on all tables in schema public to clerk;
  grant usage on all sequences in schema public to clerk`
const MIB = 1024 * 1024
/**
 * A commit waits 20 ms before it writes the log, and then writes what others have added meanwhile
 * too.
 */
const SLOW_COMMITS = [
  'commit_delay=20000',
  'commit_siblings=0',
  'wal_buffers=4MB',
  'restart_after_crash=off',
].flatMap((setting) => ['-c', setting])
/** Keeps little of the log. */
const SHORT_LOG = ['max_wal_size=4MB', 'min_wal_size=2MB'].flatMap((setting) => ['-c', setting])

/** An adapter of a user with few rights, whose server reports errors in one language. */
interface Subject {
  readonly persistence: PostgresPersistence
  /**
   * The outcome of a write after an error of which only the severity shows that nothing was stored:
   * few languages have the same word for it as English.
   */
  readonly outcomeOfError: 'not_stored' | 'unknown'
  /** Runs statements as a superuser. */
  sql(statements: string): Promise<readonly object[]>
  /** Runs a statement as a superuser in a transaction that lasts as long as the work. */
  holding(statement: string, work: () => Promise<void>): Promise<void>
}

async function openIn(url: string, language: string): Promise<Subject> {
  const severity = await translateErrors(url, language)
  const persistence = await openPostgresPersistence({
    url: Object.assign(new URL(url), { username: 'clerk' }).href,
  })
  onTestFinished(() => persistence.close())
  return {
    persistence,
    outcomeOfError: severity === 'ERROR' ? 'not_stored' : 'unknown',
    sql: (statements) => runSql(url, statements),
    async holding(statement, work) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        await client.query(`begin; ${statement}`)
        await work()
      } finally {
        await client.end()
      }
    },
  }
}

/** Each breaks something, checks the error, and repairs it. */
const FAULTS: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  async 'a violated check'({ persistence, sql }) {
    await sql('alter table pet add constraint not_one check (category_id <> 1)')
    await expectRejected(persistence, '23514', 'not_stored')
    await sql('alter table pet drop constraint not_one')
  },

  async 'an id that is taken'({ persistence, sql }) {
    await sql("insert into pet (id, name, category_id) select nextval('pet_id_seq') + 1, 'Rex', 1")
    await expect(persistence.check()).rejects.toThrow(/^The next id, \d+, is taken/)
    await expectRejected(persistence, '23505', 'not_stored')
    await sql('truncate pet')
  },

  async 'a lost right'({ persistence, outcomeOfError, sql }) {
    await sql('revoke insert on pet from clerk')
    await expect(persistence.check()).rejects.toThrow('lacks the right to insert on pet.')
    await expectRejected(persistence, '42501', outcomeOfError)
    await sql('grant insert on pet to clerk')
  },

  async 'a cancelled statement'({ persistence, outcomeOfError, sql, holding }) {
    const cancel = "select pg_cancel_backend(pid) from pg_locks where relation = 'pet'::regclass"
    await holding('lock table pet', async () => {
      const rejected = expectRejected(persistence, '57014', outcomeOfError)
      await until('it waits', async () => (await sql(`${cancel} and not granted`)).length > 0)
      await rejected
    })
  },

  async 'a session that ends at commit'({ persistence, sql }) {
    await sql(`create function end_session() returns trigger language plpgsql
        as 'begin perform pg_terminate_backend(pg_backend_pid()); return null; end';
      create constraint trigger end_session after insert on pet
        deferrable initially deferred for each row execute function end_session()`)
    await expectRejected(persistence, '57P01', 'unknown')
    await sql('drop function end_session cascade')
  },

  async 'a changed column'({ persistence, sql }) {
    const { id } = await persistence.pets.add(PET)
    for (const type of ['varchar(200)', 'text']) {
      await sql(`alter table pet alter column name type ${type}`)
      expect(await persistence.pets.find(id)).toEqual({ id, ...PET })
      expect(await persistence.pets.list({ limit: 1 })).toEqual([{ id, ...PET }])
    }
    await sql('truncate pet')
  },
}

it('errors are told apart by their codes in every language of PostgreSQL', async ({ skip }) => {
  const { server, languages } = await startTranslatedPostgres(skip)
  await migratePostgres({ url: server.url })
  await runSql(server.url, CREATE_CLERK)
  for (const language of languages) {
    const subject = await openIn(server.url, language)
    for (const [fault, run] of Object.entries(FAULTS)) {
      await run(subject).catch((cause: Error) => {
        throw new Error(`${fault}, reported in ${language}: ${cause.message}`, { cause })
      })
      // It works again, and nothing has been stored.
      const { id } = await subject.persistence.pets.add(PET)
      expect(await subject.sql('select id::text from pet')).toEqual([{ id: String(id) }])
      await subject.sql('truncate pet')
    }
  }
  report('languages', { of: languages.join(' '), faults: Object.keys(FAULTS).length })
})

async function expectRejected(
  { pets }: PostgresPersistence,
  code: string,
  outcome: 'not_stored' | 'unknown',
): Promise<void> {
  await expect(pets.add(PET)).rejects.toMatchObject({
    code: 'persistence_unavailable',
    outcome,
    cause: { code },
  })
}

it('no pet is lost or misreported when PostgreSQL panics in another language', async ({ skip }) => {
  const name = 'crashes in other languages'
  const random = randomOf(name)
  const disk = await mountSmallDisk(16, skip)
  // The log is made as the user of the server, who is not root.
  await chmod(disk, 0o777)
  const initdbFlags = [`--waldir=${disk}/log`, '--wal-segsize=1']
  const { server, languages } = await startTranslatedPostgres(skip, initdbFlags)
  const service = await Service.start({ databaseUrl: server.url })
  const chosen = IS_LONG ? languages : [languages[random.integer(0, languages.length - 1)] ?? '']
  const ledger = new Ledger()
  for (const language of chosen) {
    await translateErrors(server.url, language)
    const writers = startMixedWriters({ service, ledger, writers: 16, prefix: language })
    // Also ends the connections that report errors in another language.
    await server.stop('fast')
    await server.start(SLOW_COMMITS)
    await untilMore(ledger, 50)
    await panic(server, disk)
    await server.start([...postgresFlags(), ...SHORT_LOG])
    await untilMore(ledger, 50)
    await writers.stop()
  }
  const findings = ledger.compare(await listAllPets(service))
  report(name, { languages: chosen.join(' '), ...figures(findings) })
  expect(findings).toMatchObject(NOTHING_WRONG)
})

/**
 * Fills the disk of the log, so that commits end in a PANIC. Some are stored nevertheless: there is
 * space for them, but not for what another session has added to the log behind them. Returns when
 * the server has ended, and there is space again.
 */
async function panic(server: EmbeddedServer, disk: string): Promise<void> {
  const { bavail, bsize } = await statfs(disk)
  const ballast = join(disk, 'ballast')
  await writeFile(ballast, Buffer.alloc(Math.max(bavail * bsize - MIB / 2, 0)))
  const other = new pg.Client({ connectionString: server.url })
  other.on('error', () => {})
  await other.connect()
  await other.query('create table if not exists filler (text text); set synchronous_commit = off')
  const fill = "insert into filler select repeat('x', 1000) from generate_series(1, 20)"
  const filling = (async () => {
    for (;;) await other.query(fill)
  })()
  await filling.catch(() => {})
  await server.ended()
  await rm(ballast)
}
