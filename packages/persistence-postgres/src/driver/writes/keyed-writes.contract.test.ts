import type { IdempotencyKey } from '@pet-store/domain'
import { aNewPet } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { migratePostgres } from '../../migrations.ts'
import { openPostgresPersistence } from '../../open-persistence.ts'
import { useDatabase } from '../../testing/temporary-database.test-support.ts'

const database = useDatabase()
const keyOf = (key: string): IdempotencyKey => ({
  owner: 'shop',
  key,
  fingerprint: 'f',
  at: new Date(),
})
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

beforeAll(async () => {
  await migratePostgres({ url: database.url })
})
beforeEach(async () => {
  await runSql(database.url, 'truncate pet, idempotency_key restart identity')
})

/** The repository of an adapter of its own. */
async function openPets() {
  const { pets, close } = await openPostgresPersistence({ url: database.url })
  onTestFinished(close)
  return pets
}

async function openOther(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const storedKeys = async () =>
  (
    await runSql<{ key: string; name: string }>(
      database.url,
      'select key, name from idempotency_key join pet on pet.id = pet_id order by key',
    )
  ).map(({ key, name }) => `${key} ${name}`)

it('idempotency keys of one turn are claimed together, each with the pet of its call', async () => {
  const pets = await openPets()
  const names = numbers(50).map((number) => `pet ${number}`)
  const created = await Promise.all(
    names.map((name, index) => pets.addWithKey(aNewPet({ name }), keyOf(`${100 - index}`))),
  )
  expect(created.map(({ pet, isReplay }) => [pet.name, isReplay])).toEqual(
    names.map((name) => [name, false]),
  )
  expect(await storedKeys()).toEqual(
    names.map((name, index) => `${100 - index} ${name}`).toSorted(),
  )
  const transactions = 'select distinct xmin::text from idempotency_key'
  expect(await runSql(database.url, transactions)).toHaveLength(1)
})

it('an idempotency key that several calls of one turn have is claimed once', async () => {
  const pets = await openPets()
  const created = await Promise.all(
    ['a', 'b', 'a', 'a', 'b'].map((key) => pets.addWithKey(aNewPet(), keyOf(key))),
  )
  expect(created.filter(({ isReplay }) => !isReplay)).toHaveLength(2)
  const ids = created.map(({ pet }) => pet.id)
  expect(new Set(ids).size).toBe(2)
  expect([ids[2], ids[3], ids[4]]).toEqual([ids[0], ids[0], ids[1]])
})

it('an idempotency key that another transaction holds keeps only its call waiting', async () => {
  const pets = await openPets()
  const other = await openOther()
  await other.query('begin')
  await other.query("insert into pet (id, name, category_id) values (-7, 'Rex', 1)")
  await other.query("insert into idempotency_key values ('shop', 'held', 'f', -7, 0)")
  await other.query(`update idempotency_key set created_at = ${Date.now()}`)
  let isHeld = true
  const held = pets.addWithKey(aNewPet(), keyOf('held')).finally(() => {
    isHeld = false
  })
  const adding = numbers(20).map((key) => pets.addWithKey(aNewPet(), keyOf(`${key}`)))
  expect((await Promise.all(adding)).filter(({ isReplay }) => isReplay)).toEqual([])
  await pets.addWithKey(aNewPet(), keyOf('later'))
  expect(isHeld).toBe(true)
  await other.query('commit')
  expect(await held).toMatchObject({ pet: { id: -7n }, isReplay: true })
})

it('two instances do not deadlock over the same idempotency keys in opposite orders', async () => {
  const instances = [await openPets(), await openPets()]
  for (let round = 0; round < 20; round += 1) {
    const keys = numbers(30).map((number) => `${round} ${number}`)
    const created = await Promise.all(
      instances.flatMap((pets, index) =>
        (index === 0 ? keys : keys.toReversed()).map((key) =>
          pets.addWithKey(aNewPet(), keyOf(key)),
        ),
      ),
    )
    expect(new Set(created.map(({ pet }) => pet.id)).size).toBe(keys.length)
    expect(created.filter(({ isReplay }) => !isReplay)).toHaveLength(keys.length)
  }
  const [counted] = await runSql<{ deadlocks: number }>(
    database.url,
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  expect(counted?.deadlocks).toBe(0)
})

it('a pet that the server rejects fails alone, and the others of its turn are stored', async () => {
  const pets = await openPets()
  const bad = { ...aNewPet(), status: 'lost' as 'sold' }
  const results = await Promise.allSettled([
    pets.addWithKey(aNewPet({ name: 'Rex' }), keyOf('a')),
    pets.addWithKey(bad, keyOf('b')),
    pets.addWithKey(aNewPet({ name: 'Mia' }), keyOf('c')),
  ])
  expect(results).toMatchObject([
    { value: { isReplay: false } },
    { reason: { outcome: 'not_stored', cause: { code: '23514' } } },
    { value: { isReplay: false } },
  ])
  expect(await storedKeys()).toEqual(['a Rex', 'c Mia'])
})
