import { aNewPet } from '@pet-store/persistence-testing'
import { createDatabase, runSql } from '@pet-store/testing-postgres'
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest'
import { migratePostgres } from '../migrations.ts'
import { openPostgresPersistence, type PostgresPersistence } from '../open-persistence.ts'
import { useDatabase } from '../testing/temporary-database.test-support.ts'

const database = useDatabase()
const ROLE = `pet_clerk_${process.pid}`
const onServer = (sql: string) => runSql(database.url, sql)

/** An adapter of a user with few rights. */
let persistence: PostgresPersistence

beforeEach(async () => {
  await migratePostgres({ url: database.url })
  await onServer(`create role ${ROLE} login; grant select, insert, update, delete
    on all tables in schema public to ${ROLE};
    grant usage on all sequences in schema public to ${ROLE}`)
  const url = Object.assign(new URL(database.url), { username: ROLE }).href
  persistence = await openPostgresPersistence({ url })
  onTestFinished(async () => {
    await persistence.close()
    await onServer(`drop owned by ${ROLE}; drop role ${ROLE}`)
    await onServer(`truncate pet, idempotency_key restart identity`)
  })
  await persistence.check()
})

const aKey = () => ({ owner: 'shop', key: 'k', fingerprint: 'f', at: new Date() })

/** Every creation is rejected in the same way, with and without a key. */
async function expectNothingStored(code: string): Promise<void> {
  for (const add of [
    () => persistence.pets.add(aNewPet()),
    () => persistence.pets.addWithKey(aNewPet(), aKey()),
  ]) {
    await expect(add()).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'not_stored',
      cause: { code },
    })
  }
}

it.each([
  ['to insert pets', `revoke insert on pet from ${ROLE}`, 'insert on pet'],
  [
    'to use the sequence',
    `revoke usage on sequence pet_id_seq from ${ROLE}`,
    'usage on the sequence of pet',
  ],
])(
  'a database without the right %s is not ready, and nothing is stored',
  async (_, revoke, right) => {
    await onServer(revoke)
    await expect(persistence.check()).rejects.toThrow(`lacks the right to ${right}.`)
    await expectNothingStored('42501')
  },
)

it.each([
  ['pet', 'select 1'],
  ['idempotency_key', 'create policy allowed on idempotency_key for select using (true)'],
  ['api_key', 'create policy allowed on api_key to pg_monitor using (true)'],
])('a database whose table %s is hidden by row-level security is not ready', async (table, but) => {
  const restore = `alter table ${table} disable row level security;
    drop policy if exists allowed on ${table}`
  onTestFinished(async () => void (await onServer(restore)))
  await onServer(`alter table ${table} enable row level security; ${but}`)
  await expect(persistence.check()).rejects.toThrow(`Row-level security hides the table ${table}.`)
  await onServer(`create policy all_rows on ${table} to ${ROLE} using (true)`)
  await persistence.check()
})

it('a start that cannot see the migrations says so', async () => {
  const url = Object.assign(new URL(database.url), { username: ROLE }).href
  await onServer('alter table migration enable row level security')
  onTestFinished(
    async () => void (await onServer('alter table migration disable row level security')),
  )
  await expect(openPostgresPersistence({ url })).rejects.toThrow('hides the table migration.')
})

it.each(['pet', 'idempotency_key'])(
  'a database whose table %s has a column that nothing sets is not ready, and stores nothing',
  async (table) => {
    await onServer(`alter table ${table} add column shop text not null`)
    onTestFinished(async () => void (await onServer(`alter table ${table} drop column shop`)))
    await expect(persistence.check()).rejects.toThrow(
      `The column "shop" of the table ${table} needs a value`,
    )
    const { rejects } = expect(persistence.pets.addWithKey(aNewPet(), aKey()))
    await rejects.toMatchObject({ outcome: 'not_stored', cause: { code: '23502' } })
    if (table === 'pet') await expectNothingStored('23502')
    await onServer(`
      create function set_shop() returns trigger language plpgsql as
        'begin new.shop = 1; return new; end';
      create trigger shop before insert on ${table} for each row execute function set_shop()`)
    onTestFinished(async () => void (await onServer('drop function set_shop cascade')))
    await persistence.check()
    await persistence.pets.addWithKey(aNewPet(), aKey())
  },
)

it('a database with a column whose domain needs a value is not ready', async () => {
  await onServer(`create domain shop as text not null; alter table pet add column shop shop`)
  onTestFinished(async () => void (await onServer('drop domain shop cascade')))
  await expect(persistence.check()).rejects.toThrow('The column "shop" of the table pet needs')
  await expectNothingStored('23502')
})

it.each([
  ['the default of its domain', 'with_default not null'],
  ['a generated value', "text generated always as ('shop') stored not null"],
  ['a sequence', 'bigint generated always as identity'],
])('a database with a column that has %s is ready, and stores pets', async (_, type) => {
  await onServer("create domain with_default as text default 'shop'")
  onTestFinished(async () => {
    await onServer('alter table pet drop column shop; drop domain with_default')
  })
  await onServer(`alter table pet add column shop ${type}`)
  await persistence.check()
  await persistence.pets.addWithKey(aNewPet(), aKey())
})

it('a database that generates every id itself is not ready until it accepts some', async () => {
  const other = await createDatabase(inject('postgresUrl'))
  onTestFinished(other.drop)
  await migratePostgres({ url: other.url })
  await runSql(
    other.url,
    `alter table pet alter column id drop default;
    drop sequence pet_id_seq;
    alter table pet alter column id add generated always as identity`,
  )
  const opened = await openPostgresPersistence({ url: other.url })
  onTestFinished(() => opened.close())
  const remedy = await opened.check().then(String, (error: Error) => error.message)
  expect(remedy).toMatch(/^The column "id" of the table pet accepts no values: alter /)
  await expect(opened.pets.addWithKey(aNewPet(), aKey())).rejects.toMatchObject({
    cause: { code: '428C9' },
  })
  await runSql(other.url, /: (.*)\.$/.exec(remedy)?.[1] ?? '')
  await opened.check()
  await opened.pets.addWithKey(aNewPet(), aKey())
})

it('a database whose partitions set a column by a trigger is ready, and stores pets', async () => {
  const partitioned = await createDatabase(inject('postgresUrl'))
  onTestFinished(partitioned.drop)
  await migratePostgres({ url: partitioned.url })
  await runSql(
    partitioned.url,
    `alter table pet rename to whole;
    create table pet (like whole including defaults, shop text not null, primary key (id))
      partition by range (id);
    create table pet_1 partition of pet for values from (minvalue) to (maxvalue);
    alter sequence pet_id_seq owned by pet.id;
    create function set_shop() returns trigger language plpgsql as
      'begin new.shop = 1; return new; end';
    create trigger shop before insert on pet_1 for each row execute function set_shop()`,
  )
  const opened = await openPostgresPersistence({ url: partitioned.url })
  onTestFinished(() => opened.close())
  await opened.check()
  await opened.pets.addWithKey(aNewPet(), aKey())
})

it.each([
  ['pet', 'id'],
  ['idempotency_key', 'owner, key'],
])('a database whose table %s has no primary key is not ready, nor opened', async (table, key) => {
  await onServer(`alter table ${table} drop constraint ${table}_pkey`)
  const restore = `alter table ${table} add constraint ${table}_pkey primary key (${key})`
  onTestFinished(async () => void (await onServer(restore)))
  const message = `The table ${table} has no primary key`
  await expect(persistence.check()).rejects.toThrow(message)
  await expect(openPostgresPersistence({ url: database.url })).rejects.toThrow(
    new RegExp(`^Cannot open the PostgreSQL database ".*": ${message}`),
  )
})

it.each([
  ['of 64 bits', 'increment by 1', '9223372036854775807'],
  ['of 64 bits in steps of 4', 'increment by 4', '9223372036854775805'],
  ['of a sequence with a maximum', 'maxvalue 9', '9'],
])('a database with exhausted ids %s is not ready, and nothing is stored', async (_, set, last) => {
  onTestFinished(
    async () => void (await onServer('alter sequence pet_id_seq increment by 1 no maxvalue')),
  )
  await onServer(`alter sequence pet_id_seq ${set}; select setval('pet_id_seq', ${last})`)
  await expect(persistence.check()).rejects.toThrow('no more ids')
  await expectNothingStored('2200H')
})

it('a database without a sequence for ids is not ready', async () => {
  await onServer('alter sequence pet_id_seq owned by none')
  onTestFinished(async () => void (await onServer('alter sequence pet_id_seq owned by pet.id')))
  await expect(persistence.check()).rejects.toThrow(
    'The column id of the table pet has no sequence',
  )
})

it('a database with a sequence behind its table is not ready, and stores nothing', async () => {
  await onServer(
    "insert into pet (id, name, category_id) select n, 'Rex', 1 from generate_series(1, 4) n",
  )
  await expect(persistence.check()).rejects.toThrow('The next id, 1, is taken')
  await expectNothingStored('23505')
  // Each attempt has used up an id.
  await persistence.check()
  await onServer("insert into pet (id, name, category_id) values (5, 'Rex', 1)")
  const remedy = await persistence.check().then(String, (error: Error) => error.message)
  await onServer(/Run (.*)\.$/.exec(remedy)?.[1] ?? '')
  expect((await persistence.pets.add(aNewPet())).id).toBe(6n)
})

it.each([
  ['a sequence that was restarted', 'alter sequence pet_id_seq restart with 5'],
  ['a sequence that was set', "select setval('pet_id_seq', 5, false)"],
  [
    'ids of another primary in the gaps of its sequence',
    "alter sequence pet_id_seq increment by 4; select nextval('pet_id_seq')",
  ],
])('a database with %s is ready, and stores pets', async (_, move) => {
  await onServer(
    "insert into pet (id, name, category_id) select n, 'Rex', 1 from generate_series(1, 4) n",
  )
  onTestFinished(async () => void (await onServer('alter sequence pet_id_seq increment by 1')))
  await onServer(move)
  // Without this right a sequence that was restarted looks like one that was never used.
  if (move.includes('5'))
    await expect(persistence.check()).rejects.toThrow('this user may not see (grant select on it)')
  await onServer(`grant select on sequence pet_id_seq to ${ROLE}`)
  await persistence.check()
  expect((await persistence.pets.add(aNewPet())).id).toBe(5n)
})

it.each([
  ['a lost right to count requests', `revoke update on request_count from ${ROLE}`],
  ['no key of counted requests', 'alter table request_count drop constraint request_count_pkey'],
  ['hidden counts of requests', 'alter table request_count enable row level security'],
  ['no table of counted requests', 'alter table request_count rename to counted'],
])('a database with %s is not ready once requests are counted', async (_, lose) => {
  const restore = `alter table if exists counted rename to request_count;
    alter table request_count disable row level security;
    alter table request_count drop constraint if exists request_count_pkey;
    alter table request_count add primary key (key_id)`
  onTestFinished(async () => void (await onServer(restore)))
  await onServer(lose)
  await persistence.check()
  const limiter = persistence.createRateLimiter({ requests: 5, windowMs: 60_000 })
  await expect(persistence.check()).rejects.toThrow('request_count')
  await expect(limiter.take('key_kiosk')).rejects.toMatchObject({ code: 'persistence_unavailable' })
})

it('a database that quotes all names is ready', async () => {
  const url = new URL(database.url)
  url.searchParams.set('options', '-cquote_all_identifiers=on')
  const quoted = await openPostgresPersistence({ url: url.href })
  onTestFinished(() => quoted.close())
  await quoted.check()
})

it('a database without one of its tables is not ready, and nothing is stored', async () => {
  await onServer('alter table pet rename to animal')
  onTestFinished(async () => void (await onServer('alter table animal rename to pet')))
  await expect(persistence.check()).rejects.toMatchObject({ code: '42P01' })
  await expectNothingStored('42P01')
})

it('a database with a distributed table is ready even while that is locked', async () => {
  await onServer(
    "create table pg_dist_partition as select 'pet'::regclass as logicalrelid, 'h' as partmethod",
  )
  await onServer(`grant select on pg_dist_partition to ${ROLE}`)
  onTestFinished(async () => void (await onServer('drop table pg_dist_partition')))
  const url = Object.assign(new URL(database.url), { username: ROLE }).href
  const distributed = await openPostgresPersistence({ url, statementTimeoutMs: 500 })
  onTestFinished(() => distributed.close())
  const locking = runSql(database.url, 'begin; lock table pet; select pg_sleep(2)')
  await expect
    .poll(() =>
      onServer(
        "select 1 from pg_locks where mode = 'AccessExclusiveLock' and relation = 'pet'::regclass",
      ),
    )
    .toHaveLength(1)
  await distributed.check()
  await locking
})
