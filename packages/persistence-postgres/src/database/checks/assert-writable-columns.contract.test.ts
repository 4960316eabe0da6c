import { aNewPet } from '@pet-store/persistence-testing'
import { createDatabase, runSql } from '@pet-store/testing-postgres'
import { expect, inject, it, onTestFinished } from 'vitest'
import { migratePostgres } from '../../migrations.ts'
import { openPostgresPersistence } from '../../open-persistence.ts'
import {
  aKeyUse,
  expectNothingStored,
  useLimitedUser,
} from '../../testing/limited-user.test-support.ts'

const user = useLimitedUser()
const { onServer } = user

it.each(['pet', 'idempotency_key'])(
  'a database whose table %s has a column that nothing sets is not ready, and stores nothing',
  async (table) => {
    await onServer(`alter table ${table} add column shop text not null`)
    onTestFinished(async () => void (await onServer(`alter table ${table} drop column shop`)))
    await expect(user.persistence.check()).rejects.toThrow(
      `The column "shop" of the table ${table} needs a value`,
    )
    const { rejects } = expect(user.persistence.pets.addWithKey(aNewPet(), aKeyUse()))
    await rejects.toMatchObject({ outcome: 'not_stored', cause: { code: '23502' } })
    if (table === 'pet') await expectNothingStored(user, '23502')
    await onServer(`
      create function set_shop() returns trigger language plpgsql as
        'begin new.shop = 1; return new; end';
      create trigger shop before insert on ${table} for each row execute function set_shop()`)
    onTestFinished(async () => void (await onServer('drop function set_shop cascade')))
    await user.persistence.check()
    await user.persistence.pets.addWithKey(aNewPet(), aKeyUse())
  },
)

it('a database with a column whose domain needs a value is not ready', async () => {
  await onServer(`create domain shop as text not null; alter table pet add column shop shop`)
  onTestFinished(async () => void (await onServer('drop domain shop cascade')))
  await expect(user.persistence.check()).rejects.toThrow('The column "shop" of the table pet needs')
  await expectNothingStored(user, '23502')
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
  await user.persistence.check()
  await user.persistence.pets.addWithKey(aNewPet(), aKeyUse())
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
  await expect(opened.pets.addWithKey(aNewPet(), aKeyUse())).rejects.toMatchObject({
    cause: { code: '428C9' },
  })
  await runSql(other.url, /: (.*)\.$/.exec(remedy)?.[1] ?? '')
  await opened.check()
  await opened.pets.addWithKey(aNewPet(), aKeyUse())
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
  await opened.pets.addWithKey(aNewPet(), aKeyUse())
})
