import type { MikroORM } from '@mikro-orm/sqlite'
import type Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqliteDatabase } from './database/database.ts'
import { migrateIfAllowed } from './migrations.ts'
import { createSqliteOrm } from './orm.ts'

let database: Database.Database
let orm: MikroORM

beforeEach(async () => {
  database = await openSqliteDatabase(':memory:')
  orm = createSqliteOrm(database)
  const options = { url: 'sqlite::memory:', mode: 'migrate' } as const
  await migrateIfAllowed(database, orm, options, { mayBeNewer: false })
})
afterEach(() => {
  database.close()
})

it('the migrated schema matches the entities', async () => {
  expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
})

const insert = (columns: string, values: string) => () =>
  database.exec(`insert into pet (${columns}) values (${values})`)

it.each([
  ['no name', 'name, category_id', 'null, 1', 'NOT NULL constraint failed: pet.name'],
  [
    'no category',
    'name, category_id',
    "'Rex', null",
    'NOT NULL constraint failed: pet.category_id',
  ],
  [
    'another status',
    'name, category_id, status',
    "'Rex', 1, 'lost'",
    'CHECK constraint failed: pet_status_check',
  ],
  [
    'a status in upper case',
    'name, category_id, status',
    "'Rex', 1, 'SOLD'",
    'CHECK constraint failed',
  ],
  [
    'an empty status',
    'name, category_id, status',
    "'Rex', 1, ''",
    'CHECK constraint failed: pet_status_check',
  ],
  [
    'a name that is not text',
    'name, category_id',
    "x'00', 1",
    'cannot store BLOB value in TEXT column pet.name',
  ],
  [
    'a category that is not an integer',
    'name, category_id',
    "'Rex', 1.5",
    'cannot store REAL value in INTEGER column',
  ],
  [
    'a category beyond int64',
    'name, category_id',
    "'Rex', 9223372036854775808",
    'cannot store REAL value',
  ],
  ['an id that is not an integer', 'id, name, category_id', "'a', 'Rex', 1", 'datatype mismatch'],
])('the schema rejects a pet with %s from any writer', (_, columns, values, message) => {
  expect(insert(columns, values)).toThrow(message)
})

it.each([
  ['no hash', "'k', null, 'kiosk', 'pets:read', 1", 'NOT NULL constraint failed: api_key.sha256'],
  [
    'a hash that is taken',
    "'k', 'a', 'n', 'pets:read', 1), ('l', 'a', 'n', 'pets:read', 1",
    'UNIQUE constraint',
  ],
])('the schema rejects an API key with %s from any writer', (_, values, message) => {
  const columns = 'id, sha256, name, scopes, created_at'
  expect(() => database.exec(`insert into api_key (${columns}) values (${values})`)).toThrow(
    message,
  )
})

it('the schema accepts every status and none', () => {
  for (const status of ["'available'", "'pending'", "'sold'", 'null']) {
    expect(insert('name, category_id, status', `'Rex', 1, ${status}`)).not.toThrow()
  }
})
