import { compileFindApiKeyByHash, compilePetStatements, type PetStatements } from '@pet-store/persistence-mikro-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresDatabase, type PostgresDatabase } from './database.ts'
import { FIND_API_KEY_BY_HASH, PET_STATEMENTS } from './hot-statements.ts'
import { migratePostgres } from './migrations.ts'
import { createPostgresOrm } from './orm.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()
let opened: PostgresDatabase

beforeAll(async () => {
  await migratePostgres({ url: database.url })
  opened = await openPostgresDatabase({ url: database.url })
  // Enough rows that reading them all would be the dearer plan. The newest half has one status, as new pets may.
  await opened.pool.query(`insert into pet (name, category_id, status)
    select 'Rex', 1, case when number > 10000 then 'available' else (array['pending', 'sold'])[1 + number % 2] end
    from generate_series(1, 20000) number`)
  await opened.pool.query('analyze pet')
})
afterAll(() => opened.pool.end())

it('The statements for PostgreSQL are those that MikroORM makes of the entities', () => {
  const { em } = createPostgresOrm(opened)
  expect(PET_STATEMENTS).toStrictEqual(compilePetStatements(em))
  expect(FIND_API_KEY_BY_HASH).toStrictEqual(compileFindApiKeyByHash(em))
})

describe('PostgreSQL plans', () => {
  it.each<[keyof PetStatements, readonly unknown[], string]>([
    ['find', [1n], 'pet_pkey'],
    ['list', [20], 'pet_pkey'],
    ['listAfter', [10_000n, 20], 'pet_pkey'],
    ['listWithStatus', ['sold', 20], 'pet_status_id'],
    ['listWithStatus', ['available', 20], 'pet_status_id'],
    ['listWithStatusAfter', ['available', 5_000n, 20], 'pet_status_id'],
    ['findKey', ['shop', 'k'], 'idempotency_key_pkey'],
    ['listWithStatusAfter', ['sold', 10_000n, 20], 'pet_status_id'],
  ])('%s %o without reading or sorting more than it gives', async (name, values, index) => {
    const { rows } = await opened.pool.query(`explain ${PET_STATEMENTS[name].sql}`, [...values])
    const plan = rows.map((row) => row['QUERY PLAN'] as string).join('\n')
    expect(plan).toContain(`using ${index} on `)
    expect(plan).not.toMatch(/Sort|Seq Scan|Filter/)
  })
})
