import { aNewPet } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { migratePostgres } from '../../migrations.ts'
import { openPostgresPersistence } from '../../open-persistence.ts'
import { useDatabase } from '../../testing/temporary-database.test-support.ts'

const database = useDatabase()
const onServer = (sql: string) => runSql(database.url, sql)
const keyOf = (key: string) => ({ owner: 'shop', key, fingerprint: 'f', at: new Date() })

beforeEach(async () => {
  await migratePostgres({ url: database.url })
})

/** A trigger that runs a statement for pets of the category 2. */
const triggerFor = (statement: string) => `
  create function rule() returns trigger language plpgsql as $$
    begin if new.category_id = 2 then ${statement}; end if; return new; end $$;
  create trigger rule before insert on pet for each row execute function rule()`
const DROP_TRIGGER = 'drop function rule cascade'
const DROP_CHECK = 'alter table pet drop constraint rule'
const DROP_TABLE = `${DROP_CHECK}; drop table category`

it.each([
  ['23514', 'alter table pet add constraint rule check (category_id <> 2)', DROP_CHECK],
  [
    '23503',
    `create table category (id bigint primary key); insert into category values (1);
      alter table pet add constraint rule foreign key (category_id) references category`,
    DROP_TABLE,
  ],
  [
    '23503',
    `create table category (id bigint primary key); insert into category values (1);
      alter table pet add constraint rule foreign key (category_id) references category
        deferrable initially deferred`,
    DROP_TABLE,
  ],
  ['P0001', triggerFor("raise exception 'no such category'"), DROP_TRIGGER],
  ['SHOP1', triggerFor("raise exception 'no' using errcode = 'SHOP1'"), DROP_TRIGGER],
  ['42883', triggerFor('perform missing()'), DROP_TRIGGER],
  ['22P02', triggerFor('return null'), DROP_TRIGGER],
])(
  'a pet that a rule rejects with %s is not stored, alone in its group',
  async (code, rule, undo) => {
    const { pets, close } = await openPostgresPersistence({ url: database.url })
    onTestFinished(async () => {
      await close()
      await onServer(`${undo}; truncate pet, idempotency_key`)
    })
    await onServer(rule)
    const bad = aNewPet({ categoryId: 2n })
    const results = await Promise.allSettled([
      pets.add(aNewPet({ name: 'Rex', categoryId: 1n })),
      pets.add(bad),
      pets.addWithKey(bad, keyOf('a')),
      pets.addWithKey(aNewPet({ name: 'Mia', categoryId: 1n }), keyOf('b')),
    ])
    const rejected = {
      status: 'rejected',
      reason: { code: 'persistence_unavailable', outcome: 'not_stored', cause: { code } },
    }
    const added = { status: 'fulfilled' }
    expect(results).toMatchObject([added, rejected, rejected, added])
    const stored = await onServer('select name from pet order by name')
    expect(stored).toEqual([{ name: 'Mia' }, { name: 'Rex' }])
    expect(await onServer('select key from idempotency_key')).toEqual([{ key: 'b' }])
  },
)

it('no pet is stored while there is a rule for inserts of pets', async () => {
  const { pets, close } = await openPostgresPersistence({ url: database.url })
  onTestFinished(async () => {
    await close()
    await onServer('drop rule rule on pet')
  })
  await onServer('create rule rule as on insert to pet do also notify added')
  const rejection = { code: 'persistence_unavailable', outcome: 'not_stored' }
  await expect(pets.add(aNewPet())).rejects.toMatchObject(rejection)
  await expect(pets.addWithKey(aNewPet(), keyOf('a'))).rejects.toMatchObject(rejection)
  expect(await onServer('select from pet')).toEqual([])
})
