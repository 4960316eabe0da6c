import { columnsFromPet } from '@pet-store/persistence-mikro-orm'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { migratePostgres } from '../../migrations.ts'
import { useDatabase } from '../../testing/temporary-database.test-support.ts'
import { createClaimTogether } from './claim-together.ts'
import type { KeyedPet } from './keyed-writes.ts'

const database = useDatabase()

beforeAll(async () => {
  await migratePostgres({ url: database.url })
})
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  await runSql(database.url, 'truncate pet, idempotency_key restart identity')
})

/** Claims keys on one connection, and lists the names of its statements. */
async function openClaims() {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  const statements: string[] = []
  const options = {
    pooler: 'none',
    onStatement: undefined,
    server: { system: 'postgresql' },
  } as const
  const claimTogether = createClaimTogether(options)
  const query = client.query.bind(client)
  client.query = ((statement: pg.QueryConfig) => {
    statements.push(statement.name ?? '')
    return query(statement)
  }) as typeof client.query
  return {
    statements,
    claim: (...keys: string[]) => claimTogether(client, keys.map(keyedPet)),
  }
}

function keyedPet(key: string): KeyedPet {
  return {
    key: ['shop', key, 'f', null],
    pet: columnsFromPet({ name: `Pet ${key}`, categoryId: 1n }),
  }
}

const storedPets = async () =>
  (
    await runSql<{ name: string }>(
      database.url,
      `select name || ' ' || key as name
       from pet join idempotency_key on pet.id = pet_id
       order by key`,
    )
  ).map(({ name }) => name)

it('new idempotency keys are claimed by one statement, each with its own pet', async () => {
  const { claim, statements } = await openClaims()
  expect(await claim('a', 'b', 'c')).toEqual([1n, 2n, 3n])
  expect(await storedPets()).toEqual(['Pet a a', 'Pet b b', 'Pet c c'])
  expect(statements).toEqual(['pet_add_many_with_new_keys'])
})

it('the other pets of a group with a taken idempotency key are stored, once', async () => {
  const { claim, statements } = await openClaims()
  await claim('b')
  const [a, b, c] = await claim('a', 'b', 'c')
  expect(b).toBeUndefined()
  expect(c).toBeGreaterThan(a ?? 0n)
  expect(await storedPets()).toEqual(['Pet a a', 'Pet b b', 'Pet c c'])
  expect(await runSql(database.url, 'select 1 from pet')).toHaveLength(3)
  expect(statements.slice(1)).toEqual(['pet_add_many_with_new_keys', 'pet_add_many_with_keys'])
})

it('idempotency keys are looked up first as long as some are taken', async () => {
  const { claim, statements } = await openClaims()
  for (const key of ['a', 'a', 'a', 'b', 'c']) await claim(key)
  expect(statements).toEqual([
    'pet_add_many_with_new_keys',
    'pet_add_many_with_new_keys',
    'pet_add_many_with_keys',
    'pet_add_many_with_keys',
    'pet_add_many_with_keys',
    'pet_add_many_with_new_keys',
  ])
})

it('claiming idempotency keys stores nothing if the next id of a pet is taken', async () => {
  const { claim } = await openClaims()
  await runSql(
    database.url,
    "insert into pet (id, name, category_id) values (1, 'Rex', 1), (3, 'Rex', 1)",
  )
  await expect(claim('a', 'b')).rejects.toMatchObject({ code: '23505', constraint: 'pet_pkey' })
  expect(await storedPets()).toEqual([])
  expect(await runSql(database.url, 'select 1 from pet')).toHaveLength(2)
})

it('idempotency keys are looked up once a second, which needs their primary key', async () => {
  const { claim, statements } = await openClaims()
  for (const key of ['a', 'b', 'c']) {
    vi.advanceTimersByTime(600)
    await claim(key)
  }
  expect(statements).toEqual([
    'pet_add_many_with_new_keys',
    'pet_add_many_with_keys',
    'pet_add_many_with_new_keys',
  ])
  await runSql(database.url, 'alter table idempotency_key drop constraint idempotency_key_pkey')
  const restore = 'alter table idempotency_key add primary key (owner, key)'
  onTestFinished(async () => void (await runSql(database.url, restore)))
  vi.advanceTimersByTime(600)
  const lacksKey = { outcome: 'not_stored', cause: { code: '42P10' } }
  for (let times = 0; times < 2; times += 1)
    await expect(claim('a', 'd')).rejects.toMatchObject(lacksKey)
  expect(await storedPets()).toEqual(['Pet a a', 'Pet b b', 'Pet c c'])
})
