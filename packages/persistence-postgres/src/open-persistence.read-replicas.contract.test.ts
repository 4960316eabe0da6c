import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Pet } from '@pet-store/domain'
import { aNewPet, petRepositoryContract } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from 'vitest'
import { openPostgresPersistence, type PostgresPersistence } from './open-persistence.ts'
import {
  openWithReplica,
  servedByReplica,
  useReplicatedDatabase,
} from './testing/replicated-database.test-support.ts'

const database = useReplicatedDatabase()
let persistence: PostgresPersistence

const onPrimary = (sql: string) => runSql(database.url, sql)

async function addPets(count: number): Promise<readonly Pet[]> {
  const added: Pet[] = []
  while (added.length < count)
    added.push(await persistence.pets.add(aNewPet({ name: `Pet ${added.length + 1}` })))
  return added
}

const namesOf = (pets: readonly Pet[]) => pets.map(({ name }) => name)

/** Renames all pets, which a paused replica does not see: a list shows where it was read. */
const renameOnPrimary = () => onPrimary("update pet set name = 'from the primary'")

/** Pauses the replica while its table is locked; on the primary the lock is released. */
async function lockOnReplica(): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('begin')
  await client.query('lock table pet')
  // Sends the rest of the log to the replica.
  await client.query('select pg_switch_wal()')
  await database.server.catchUp()
  await database.server.pause()
  await client.query('commit')
  await client.end()
}

/** Does the work while all processes of the replica are stopped, so that it is unresponsive. */
async function whileFrozen(work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: database.replicaUrl })
  await client.connect()
  const { dataFolder } = database.server.standby
  const stopped = [parseInt(await readFile(join(dataFolder, 'postmaster.pid'), 'utf8'), 10)]
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  // No new process can start any more, so this lists them all.
  const { rows } = await client.query<{ pid: number }>(SERVING)
  for (const { pid } of rows) {
    process.kill(pid, 'SIGSTOP')
    stopped.push(pid)
  }
  try {
    await work()
  } finally {
    // The postmaster last: it removes processes that have ended meanwhile.
    for (const pid of stopped.toReversed()) process.kill(pid, 'SIGCONT')
    await client.end()
  }
}

const SERVING = `
  select pid, application_name as name, query from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() order by name`

/** The processes of a server that serve an open adapter, and the last statement of each. */
function servingOn(
  address: string,
): Promise<readonly { pid: number; name: string; query: string }[]> {
  return runSql(address, SERVING)
}

describe.each([
  ['keeps up', async () => {}],
  ['is paused', () => database.server.pause()],
])('With a replica that %s, PostgreSQL fulfils the PetRepository contract', (replica, prepare) => {
  // One for all cases, so that the replica serves lists by the time of most of them.
  let shared: PostgresPersistence
  beforeAll(async () => {
    const { url, replicaUrl } = database
    shared = await openPostgresPersistence({
      url,
      replicaUrls: [replicaUrl],
      // More than a statement takes on a busy machine.
      statementTimeoutMs: 60_000,
    })
  })
  afterAll(() => shared.close())
  beforeEach(prepare)
  afterEach(() => database.server.resume())

  for (const { name, run } of petRepositoryContract)
    it(`PostgreSQL with a replica that ${replica} ${name}`, () => run(shared.pets))
})

describe('With a replica', () => {
  beforeEach(async () => {
    persistence = await openWithReplica(database)
  })
  afterEach(() => database.server.resume())

  it('a replica serves lists, and the primary everything else', async () => {
    const [first, , last] = await addPets(3)
    await servedByReplica(last as Pet, persistence)
    await database.server.pause()
    await renameOnPrimary()

    expect(namesOf(await persistence.pets.list({ limit: 2 }))).toEqual(['Pet 1', 'Pet 2'])
    expect(namesOf(await persistence.pets.list({ limit: 2, after: first?.id ?? 0n }))).toEqual([
      'Pet 2',
      'Pet 3',
    ])
    expect((await persistence.pets.find(first?.id ?? 0n))?.name).toBe('from the primary')
  })

  it('reading all pages misses no pet while a replica is paused', async () => {
    const known = await addPets(5)
    await servedByReplica(known.at(-1) as Pet, persistence)
    await database.server.pause()
    const unknown = await addPets(6)

    const seen: Pet[] = []
    for (;;) {
      const after = seen.at(-1)?.id
      const page = await persistence.pets.list({ limit: 2, ...(after !== undefined && { after }) })
      seen.push(...page)
      if (page.length < 2) break
    }
    expect(seen).toEqual([...known, ...unknown])
  })

  it('a pet that is committed after a higher id reached a replica is not missed', async () => {
    const slow = new pg.Client({ connectionString: database.url })
    await slow.connect()
    onTestFinished(() => slow.end())
    const [before] = await addPets(1)
    await servedByReplica(before as Pet, persistence)
    await slow.query('begin')
    await slow.query("insert into pet (name, category_id) values ('low id', 1)")
    const after = await addPets(2)
    await database.server.catchUp()
    // The watermark may not pass a transaction that still runs.
    await setTimeout(2_500)
    await database.server.pause()
    await slow.query('commit')

    expect(namesOf(await persistence.pets.list({ limit: 3 }))).toEqual(['Pet 1', 'low id', 'Pet 1'])
    await database.server.resume()
    await servedByReplica(after.at(-1) as Pet, persistence)
    expect(namesOf(await persistence.pets.list({ limit: 4 }))).toEqual([
      'Pet 1',
      'low id',
      'Pet 1',
      'Pet 2',
    ])
  })

  it('a pet with an id that a connection had in its cache is not missed', async () => {
    await onPrimary('alter sequence pet_id_seq cache 20')
    onTestFinished(async () => void (await onPrimary('alter sequence pet_id_seq cache 1')))
    const slow = new pg.Client({ connectionString: database.url })
    await slow.connect()
    onTestFinished(() => slow.end())
    await slow.query("insert into pet (name, category_id) values ('first', 1)")
    const later = await openWithReplica(database)
    await later.pets.add(aNewPet({ name: 'later' }))
    await database.server.catchUp()
    await setTimeout(2_500)
    await database.server.pause()
    await slow.query("insert into pet (name, category_id) values ('second', 1)")

    expect(namesOf(await later.pets.list({ limit: 2 }))).toEqual(['first', 'second'])
    expect(await later.replicaProblems()).toEqual([expect.stringContaining('pet_id_seq')])
    await database.server.resume()
  })

  it('a list is read from the primary when a replica cancels the statement', async () => {
    const [, last] = await addPets(2)
    const impatient = await openWithReplica(database, { statementTimeoutMs: 1_000 })
    await servedByReplica(last as Pet, impatient)
    await lockOnReplica()
    const warned = once(process, 'warning')

    expect(namesOf(await impatient.pets.list({ limit: 1 }))).toEqual(['Pet 1'])
    expect(String((await warned)[0])).toContain(
      'left out for now: canceling statement due to statement timeout.',
    )
  })

  it('a list is read from the primary when a replica is unresponsive', async () => {
    const [, last] = await addPets(2)
    const impatient = await openWithReplica(database, { statementTimeoutMs: 1_000 })
    await servedByReplica(last as Pet, impatient)
    await impatient.pets.list({ limit: 1 })
    await whileFrozen(async () => {
      await renameOnPrimary()
      expect(namesOf(await impatient.pets.list({ limit: 1 }))).toEqual(['from the primary'])
    })
  })

  it('lists are read from the primary while a replica is stopped, and only then', async () => {
    const [, last] = await addPets(2)
    await servedByReplica(last as Pet, persistence)
    const warned = once(process, 'warning')
    await database.server.standby.stop()
    await renameOnPrimary()

    expect(namesOf(await persistence.pets.list({ limit: 1 }))).toEqual(['from the primary'])
    expect(String((await warned)[0])).toMatch(
      /^Warning: The PostgreSQL replica "127\.0\.0\.1:\d+\/pet_store_\w+" is left out/,
    )

    await database.server.standby.start()
    await servedByReplica(last as Pet, persistence)
    await database.server.pause()
    await onPrimary("update pet set name = 'later'")
    expect(namesOf(await persistence.pets.list({ limit: 1 }))).toEqual(['from the primary'])
  })

  it("several replicas are used in turn, under the program's name or the URL's", async () => {
    const [, last] = await addPets(2)
    const other = new URL(database.replicaUrl)
    other.searchParams.set('application_name', 'second')
    const { pets, replicaWatermarks } = await openWithReplica(database, {
      replicaUrls: [database.replicaUrl, other.href],
    })
    await expect.poll(() => replicaWatermarks().map((id) => id === last?.id)).toEqual([true, true])
    const servedBy = async () =>
      (await servingOn(database.replicaUrl))
        .filter(({ query }) => query.includes('limit'))
        .map(({ name }) => name)

    await pets.list({ limit: 1 })
    expect(await servedBy()).toEqual(['second'])
    await pets.list({ limit: 1 })
    expect(await servedBy()).toEqual(['pet-store', 'second'])
  })

  it('closing closes the connections to a replica too', async () => {
    const named = new URL(database.replicaUrl)
    named.searchParams.set('application_name', 'closing')
    const opened = await openPostgresPersistence({ url: database.url, replicaUrls: [named.href] })
    const connections = async () =>
      (await servingOn(database.replicaUrl)).filter(({ name }) => name === 'closing').length
    await expect.poll(connections).toBeGreaterThan(0)
    await opened.close()
    await expect.poll(connections).toBe(0)
    await expect(opened.pets.list({ limit: 1 })).rejects.toThrow('after calling end')
  })
})
