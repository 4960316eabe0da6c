import { randomBytes } from 'node:crypto'
import { aNewPet } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import { afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openPostgresPersistence } from '../../open-persistence.ts'
import { useDatabase } from '../../testing/temporary-database.test-support.ts'

const database = useDatabase()
const onServer = (sql: string) => runSql(database.url, sql)

/** Fails with the code that is its argument. */
const FAIL = `
  create function fail() returns trigger language plpgsql as $$
    begin raise exception 'no space left' using errcode = tg_argv[0]; end $$`
const FULL = '53100'
const NO_TRANSACTION_IDS = '54000'
const fill = (table: string, when = 'true', code = FULL) =>
  `create trigger full_disk before insert on ${table}
    for each row when (${when}) execute function fail('${code}')`
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

it('a database that lacks transaction ids is not ready until it has them again', async () => {
  const persistence = await open()
  onTestFinished(() => persistence.close())
  const limiter = persistence.createRateLimiter({ requests: 9, windowMs: 60_000 })
  const writes = [
    ['pet', () => persistence.pets.add(aNewPet())],
    ['request_count', () => limiter.take('k')],
  ] as const
  for (const [table, write] of writes) {
    await onServer(fill(table, 'true', NO_TRANSACTION_IDS))
    await persistence.check()
    await expect(write()).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'not_stored',
      cause: { code: NO_TRANSACTION_IDS },
    })
    await expect(persistence.check()).rejects.toThrow('transaction ids')
    await onServer(empty(table))
    await persistence.check()
    await write()
  }
})

it('a name that is too long for an index of the operator leaves the database ready', async () => {
  const persistence = await open()
  onTestFinished(() => persistence.close())
  await onServer('create index too_small on pet (name)')
  // Bytes that PostgreSQL cannot compress, four for each character.
  const characters = Array.from(randomBytes(1_000), (byte, index) =>
    String.fromCodePoint(0x10000 + ((byte * 257 + index * 7_919) % 0xf000)),
  )
  const long = persistence.pets.add(aNewPet({ name: characters.join('') }))
  await expect(long).rejects.toMatchObject({ cause: { code: NO_TRANSACTION_IDS } })
  await persistence.check()
  await persistence.pets.add(aNewPet())
  await onServer('drop index too_small')
})
