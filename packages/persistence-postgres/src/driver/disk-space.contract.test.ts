import { aNewPet } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import { afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openPostgresPersistence } from '../open-persistence.ts'
import { useDatabase } from '../testing/temporary-database.test-support.ts'

const database = useDatabase()
const onServer = (sql: string) => runSql(database.url, sql)

/** Fails with the code of a full disk. */
const FAIL = `
  create function fail() returns trigger language plpgsql as $$
    begin raise exception 'no space left' using errcode = '53100'; end $$`
const fill = (table: string, when = 'true') =>
  `create trigger full_disk before insert on ${table}
    for each row when (${when}) execute function fail()`
const empty = (table: string) => `drop trigger if exists full_disk on ${table}`

beforeAll(async () => {
  const { close } = await open()
  await close()
  await onServer(FAIL)
})
afterEach(async () => {
  for (const table of ['pet', 'idempotency_key', 'request_count']) await onServer(empty(table))
})

const open = () => openPostgresPersistence({ url: database.url, mode: 'migrate' })

it('a database that finds the disk full is not ready until it has space', async () => {
  const persistence = await open()
  onTestFinished(() => persistence.close())
  const { pets } = persistence
  const key = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date() }
  for (const add of [() => pets.add(aNewPet()), () => pets.addWithKey(aNewPet(), key)]) {
    await onServer(fill('pet'))
    await persistence.check()
    await expect(add()).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'not_stored',
      cause: { code: '53100' },
    })
    await expect(persistence.check()).rejects.toThrow('The disk is full.')
    await onServer(empty('pet'))
    await persistence.check()
    await add()
  }
  expect(await onServer('select count(*)::int as count from pet')).toEqual([{ count: 2 }])
})

it('a small pet that still fits does not make a database with a full disk ready', async () => {
  const persistence = await open()
  onTestFinished(() => persistence.close())
  const { pets } = persistence
  await onServer(fill('pet', 'length(new.name) > 100'))
  const large = pets.add(aNewPet({ name: 'x'.repeat(1_000) }))
  await expect(large).rejects.toMatchObject({ cause: { code: '53100' } })
  await pets.add(aNewPet())
  await expect(persistence.check()).rejects.toThrow('The disk is full.')
})

it('a full disk that has only the idempotency keys makes the database not ready', async () => {
  const persistence = await open()
  onTestFinished(() => persistence.close())
  const key = { owner: 'shop', key: 'alone', fingerprint: 'f', at: new Date() }
  await onServer(fill('idempotency_key'))
  await expect(persistence.pets.addWithKey(aNewPet(), key)).rejects.toMatchObject({
    cause: { code: '53100' },
  })
  await expect(persistence.check()).rejects.toThrow('The disk is full.')
  await onServer(empty('idempotency_key'))
  await persistence.check()
})

it('counting requests that finds the disk full makes the database not ready', async () => {
  const persistence = await open()
  onTestFinished(() => persistence.close())
  const limiter = persistence.createRateLimiter({ requests: 1, windowMs: 60_000 })
  await onServer(fill('request_count'))
  await persistence.check()
  await expect(limiter.take('k')).rejects.toMatchObject({ cause: { code: '53100' } })
  await expect(persistence.check()).rejects.toThrow('The disk is full.')
  await onServer(empty('request_count'))
  await persistence.check()
  await limiter.take('k')
})

it('a constraint that the operator has added does not make a disk look full', async () => {
  const persistence = await open()
  onTestFinished(() => persistence.close())
  await onServer('alter table pet add check (id > 0)')
  await onServer(fill('pet'))
  await expect(persistence.pets.add(aNewPet())).rejects.toMatchObject({ cause: { code: '53100' } })
  await onServer(empty('pet'))
  await persistence.check()
})
