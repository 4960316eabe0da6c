import { createDatabase, type Database } from '@pet-store/testing-postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openPostgresDatabase } from './database/database.ts'
import { migratePostgres } from './migrations.ts'
import { createPostgresOrm } from './orm.ts'

let database: Database
let client: pg.Client

beforeAll(async () => {
  database = await createDatabase(inject('postgresUrl'))
  await migratePostgres({ url: database.url })
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

it('the migrated schema has every table and column of the entities', async () => {
  const opened = await openPostgresDatabase({ url: database.url })
  const sql = await createPostgresOrm(opened).schema.getUpdateSchemaSQL({
    dropTables: false,
  })
  await opened.pool.end()
  expect(sql).toBe('')
})

const insert = (columns: string, values: string) =>
  client.query(`insert into pet (${columns}) values (${values})`)

it.each([
  ['no name', 'name, category_id', 'null, 1', 'null value in column "name"'],
  ['no category', 'name, category_id', "'Rex', null", 'null value in column "category_id"'],
  ['another status', 'name, category_id, status', "'Rex', 1, 'lost'", '"pet_status_check"'],
  ['a status in upper case', 'name, category_id, status', "'Rex', 1, 'SOLD'", '"pet_status_check"'],
  ['an empty status', 'name, category_id, status', "'Rex', 1, ''", '"pet_status_check"'],
  [
    'a category beyond int64',
    'name, category_id',
    "'Rex', 9223372036854775808",
    'bigint out of range',
  ],
  ['an id that is taken', 'id, name, category_id', "7, 'Rex', 1), (7, 'Rex', 1", '"pet_pkey"'],
])('the schema rejects a pet with %s', async (_, columns, values, message) => {
  await expect(insert(columns, values)).rejects.toThrow(message)
})

it.each([
  ['no hash', "'k', null, 'kiosk', 'pets:read', 1", 'null value in column "sha256"'],
  [
    'a hash that is taken',
    "'k', 'a', 'n', 'pets:read', 1), ('l', 'a', 'n', 'pets:read', 1",
    '"api_key_sha256"',
  ],
])('the schema rejects an API key with %s', async (_, values, message) => {
  const columns = 'id, sha256, name, scopes, created_at'
  await expect(client.query(`insert into api_key (${columns}) values (${values})`)).rejects.toThrow(
    message,
  )
})

it('the schema accepts every status and none', async () => {
  for (const status of ["'available'", "'pending'", "'sold'", 'null']) {
    await expect(insert('name, category_id, status', `'Rex', 1, ${status}`)).resolves.toMatchObject(
      { rowCount: 1 },
    )
  }
})
