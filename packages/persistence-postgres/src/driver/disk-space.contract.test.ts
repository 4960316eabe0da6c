import { aNewPet } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgresPersistence } from '../open-persistence.ts'
import { useDatabase } from '../testing/temporary-database.test-support.ts'

const database = useDatabase()
const onServer = (sql: string) => runSql(database.url, sql)

/** Fails with the code of a full disk. */
const FAIL = `
  create function fail() returns trigger language plpgsql as $$
    begin raise exception 'no space left' using errcode = '53100'; end $$`
const FILL = 'create trigger full_disk before insert on pet execute function fail()'
const EMPTY = 'drop trigger full_disk on pet'

it('A database that finds the disk full is not ready until it has space', async () => {
  const persistence = await openPostgresPersistence({ url: database.url, mode: 'migrate' })
  onTestFinished(() => persistence.close())
  const { pets } = persistence
  const key = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date() }
  await onServer(FAIL)
  for (const add of [() => pets.add(aNewPet()), () => pets.addWithKey(aNewPet(), key)]) {
    await onServer(FILL)
    await persistence.check()
    await expect(add()).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'not_stored',
      cause: { code: '53100' },
    })
    await expect(persistence.check()).rejects.toThrow('The disk is full.')
    await onServer(EMPTY)
    await persistence.check()
    await add()
  }
  expect(await onServer('select count(*)::int as count from pet')).toEqual([{ count: 2 }])
})
