import { aNewPet, petRepositoryContract } from '@pet-store/persistence-testing'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresPersistence, type PostgresPersistence } from './open-persistence.ts'
import { openProxy } from './testing/failing-server.test-support.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()
let persistence: PostgresPersistence
let other: pg.Client

beforeAll(async () => {
  other = new pg.Client({ connectionString: database.url })
  await other.connect()
  persistence = await openPostgresPersistence({ url: database.url, mode: 'migrate' })
})
afterAll(async () => {
  await persistence.close()
  await other.end()
})

beforeEach(async () => {
  await other.query('truncate pet, idempotency_key')
})

/** The table of Citus that lists distributed tables. */
const DISTRIBUTED =
  "create table pg_dist_partition as select 'pet'::regclass as logicalrelid, 'h' as partmethod"

// The contract of the whole adapter: tools/docs/adapters-page.contract.test.ts.
describe('A PostgreSQL adapter', () => {
  it.each(['without named statements', 'when pets are distributed over servers'])(
    'PostgreSQL fulfils the contract %s',
    async (kind) => {
      const isDistributed = kind.includes('distributed')
      if (isDistributed) await other.query(DISTRIBUTED)
      onTestFinished(async () => void (await other.query('drop table if exists pg_dist_partition')))
      const url = new URL(database.url)
      url.searchParams.set('application_name', kind)
      const opened = await openPostgresPersistence({
        url: url.href,
        ...(!isDistributed && { pooler: 'transaction-unprepared' }),
      })
      onTestFinished(() => opened.close())
      const isGrouped = async () => {
        const statements = await other.query(
          "select 1 from pg_stat_activity where query like '%unnest%' and application_name = $1",
          [kind],
        )
        return statements.rowCount !== 0
      }
      for (const { name, run } of petRepositoryContract) {
        await other.query('truncate pet, idempotency_key')
        await run(opened.pets).catch((error: unknown) => {
          throw new Error(name, { cause: error })
        })
      }
      await opened.pets.add(aNewPet())
      expect(await isGrouped()).toBe(!isDistributed)
    },
  )

  it('a closed PostgreSQL database rejects every call', async () => {
    const closed = await openPostgresPersistence({ url: database.url })
    await closed.close()
    await expect(closed.pets.add(aNewPet())).rejects.toThrow('after calling end')
    await expect(closed.pets.find(1n)).rejects.toThrow('after calling end')
    await expect(closed.check()).rejects.toThrow('after calling end')
  })

  it('connections have the name of the program on the server, or the one of the URL', async () => {
    const url = new URL(database.url)
    url.searchParams.set('application_name', 'branch-7')
    const named = await openPostgresPersistence({ url: url.href })
    await named.check()
    const { rows } = await other.query(
      `select distinct application_name as name from pg_stat_activity
       where datname = current_database() order by 1`,
    )
    await named.close()
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['branch-7', 'pet-store']))
  })

  it('a PostgreSQL database returns the use of its connections', async () => {
    const small = await openPostgresPersistence({ url: database.url, poolSize: 1 })
    await small.check()
    const primary = { name: 'primary', waitingLimit: 10_000, limit: 1 }
    expect(small.poolUse()).toEqual([{ ...primary, busy: 0, idle: 1, waiting: 0 }])
    const running = [small.check(), small.check(), small.check()]
    // The pool hands out a connection that is idle on the next tick.
    await new Promise((resolve) => process.nextTick(resolve))
    expect(small.poolUse()).toEqual([{ ...primary, busy: 1, idle: 0, waiting: 2 }])
    // Creations wait in a group before they wait for a connection.
    const added = [small.pets.add(aNewPet()), small.pets.add(aNewPet())]
    expect(small.poolUse()).toEqual([{ ...primary, busy: 1, idle: 0, waiting: 4 }])
    await Promise.all([...running, ...added])
    await small.close()
  })

  it('the outcome is unknown when the first of several servers is late', async () => {
    await other.query(DISTRIBUTED)
    onTestFinished(async () => void (await other.query('rollback; drop table pg_dist_partition')))
    const impatient = await openPostgresPersistence({
      url: database.url,
      statementTimeoutMs: 1_000,
    })
    onTestFinished(() => impatient.close())
    await other.query('begin; lock table pet')
    const unknown = {
      outcome: 'unknown',
      cause: { code: '57014' },
    }
    await expect(impatient.pets.add(aNewPet())).rejects.toMatchObject(unknown)
  })

  it('the outcome is unknown when a distributed pet is not visible after its key', async () => {
    await other.query(DISTRIBUTED)
    // As after a worker was lost between PREPARE and COMMIT PREPARED.
    await other.query(`create function hide() returns trigger language plpgsql
      as 'begin delete from pet where id = new.id; return null; end'`)
    await other.query(
      'create trigger hide after insert on pet for each row execute function hide()',
    )
    onTestFinished(
      async () =>
        void (await other.query('drop function hide cascade; drop table pg_dist_partition')),
    )
    const { pets, close } = await openPostgresPersistence({ url: database.url })
    onTestFinished(close)
    const key = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date() }
    await expect(pets.addWithKey(aNewPet(), key)).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'unknown',
    })
  })

  it('a repeat waits for a pet committed after its key, and replaces a deleted one', async () => {
    await other.query(DISTRIBUTED)
    onTestFinished(async () => void (await other.query('drop table pg_dist_partition')))
    const { pets, close } = await openPostgresPersistence({ url: database.url })
    onTestFinished(() => close())
    const key = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date() }
    await other.query(
      `insert into idempotency_key values ('shop', 'k', 'f', 7, ${key.at.getTime()})`,
    )
    await other.query("begin; insert into pet (id, name, category_id) values (7, 'Rex', 1)")
    const adding = pets.addWithKey(aNewPet(), key)
    const waiting =
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' " +
      'and datname = current_database()'
    await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1)
    await other.query('commit')
    expect(await adding).toEqual({ pet: { id: 7n, name: 'Rex', categoryId: 1n }, isReplay: true })

    await other.query('delete from pet')
    expect(await pets.addWithKey(aNewPet(), key)).toMatchObject({ isReplay: false })
    expect((await other.query('select 1 from pet')).rowCount).toBe(1)
  })

  it('reads that wait for the only connection are finished before closing', async () => {
    const opened = await openPostgresPersistence({ url: database.url, poolSize: 1 })
    const limiter = opened.createRateLimiter({ requests: 10, windowMs: 60_000 })
    const running = [1n, 2n, 3n].flatMap<unknown>((id) => [
      opened.pets.find(id),
      opened.readClock(),
      limiter.take(`${id}`),
    ])
    await opened.close()
    expect(await Promise.all(running)).toHaveLength(9)
  })

  it('adds that wait are finished before closing, to a distributed table too', async () => {
    await other.query(DISTRIBUTED)
    onTestFinished(async () => void (await other.query('drop table pg_dist_partition')))
    const { pets, close } = await openPostgresPersistence({ url: database.url, poolSize: 1 })
    const key = (index: number) => ({
      owner: 'shop',
      key: `${index}`,
      fingerprint: 'f',
      at: new Date(),
    })
    const adding = [1, 2, 3].flatMap((index) => [
      pets.add(aNewPet()),
      pets.addWithKey(aNewPet(), key(index)),
    ])
    await close()
    expect(await Promise.all(adding)).toHaveLength(6)
  })

  it.each([
    ['all', 2],
    ['pipelined', 4],
  ])(
    'connections on which the server is unresponsive are replaced by new ones: %s',
    async (_, poolSize) => {
      const proxy = await openProxy(database.url)
      const cutOff = await openPostgresPersistence({
        url: proxy.url,
        poolSize,
        statementTimeoutMs: 1_000,
      })
      await Promise.all([cutOff.check(), cutOff.check(), cutOff.pets.find(1n)])
      // On the other connection for reads.
      await cutOff.pets.find(1n)
      proxy.mute()
      const lost = [cutOff.pets.list({ limit: 1 }), cutOff.pets.add(aNewPet())]
      for (const { reason } of (await Promise.allSettled(lost)) as PromiseRejectedResult[]) {
        expect(reason).toMatchObject({
          code: 'persistence_unavailable',
          cause: expect.any(Error) as Error,
        })
      }
      expect(await cutOff.pets.list({ limit: 1 })).toEqual([])
      await cutOff.close()
    },
  )
})

describe('Opening a PostgreSQL database', () => {
  it('opening names a server that does not respond, without the password', async () => {
    const opening = openPostgresPersistence({
      url: 'postgres://pet:secret@127.0.0.1:1/pets',
      mode: 'migrate',
    })
    await expect(opening).rejects.toThrow(
      /^Cannot open the PostgreSQL database "127\.0\.0\.1:1\/pets": .*ECONNREFUSED.*\.$/,
    )
    await expect(opening).rejects.not.toThrow('secret')
  })

  it('opening uses three connections: for itself, to find a pooler, and for reads', async () => {
    const proxy = await openProxy(database.url)
    const opened = await openPostgresPersistence({ url: proxy.url, mode: 'migrate' })
    expect(proxy.connections).toBe(3)
    await opened.close()
  })

  it('opening says that there is no such database', async () => {
    const url = new URL(database.url)
    url.pathname = '/nowhere'
    await expect(openPostgresPersistence({ url: url.href, mode: 'migrate' })).rejects.toThrow(
      /\/nowhere": database "nowhere" does not exist\.$/,
    )
  })
})
