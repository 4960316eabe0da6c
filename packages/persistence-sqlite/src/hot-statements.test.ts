import { compileFindApiKeyByHash, compilePetStatements, type PetStatements } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteDatabase } from './database.ts'
import { FIND_API_KEY_BY_HASH, PET_STATEMENTS } from './hot-statements.ts'
import { runMigrations } from './migrations.ts'
import { createSqliteOrm } from './orm.ts'

const WALK_IN_ORDER_OF_IDS = ['SCAN pet']
const FROM_AN_ID_ON = ['SEARCH pet USING INTEGER PRIMARY KEY (rowid>?)']

it('The statements for SQLite are those that MikroORM makes of the entities', async () => {
  const { em } = createSqliteOrm(await openSqliteDatabase(':memory:'))
  expect(PET_STATEMENTS).toStrictEqual(compilePetStatements(em))
  expect(FIND_API_KEY_BY_HASH).toStrictEqual(compileFindApiKeyByHash(em))
})

describe('SQLite query plan', () => {
  let database: Database

  beforeAll(async () => {
    database = await openSqliteDatabase(':memory:')
    await runMigrations(database)
  })
  afterAll(() => void database.close())

  // Nothing is sorted ("USE TEMP B-TREE"), and a page does not read the pages before it.
  it.each<[keyof PetStatements, readonly unknown[], readonly string[]]>([
    ['find', [1n], ['SEARCH pet USING INTEGER PRIMARY KEY (rowid=?)']],
    ['list', [20], WALK_IN_ORDER_OF_IDS],
    ['listAfter', [1n, 20], FROM_AN_ID_ON],
    ['listWithStatus', ['sold', 20], ['SEARCH pet USING INDEX pet_status_id (status=?)']],
    [
      'findKey',
      ['shop', 'k'],
      [
        'SEARCH known USING INDEX sqlite_autoindex_idempotency_key_1 (owner=? AND key=?)',
        'SEARCH pet USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
      ],
    ],
    ['listWithStatusAfter', ['sold', 1n, 20], ['SEARCH pet USING INDEX pet_status_id (status=? AND id>?)']],
  ])('of %s reads and sorts no more than it returns', (name, values, plan) => {
    const explained = database.prepare(`explain query plan ${PET_STATEMENTS[name].sql}`).all(...values)
    expect(explained).toMatchObject(plan.map((detail) => ({ detail })))
    expect(explained).toHaveLength(plan.length)
  })

  it('of the API key look-up uses two unique indexes', () => {
    const { sql } = FIND_API_KEY_BY_HASH
    expect(database.prepare(`explain query plan ${sql}`).all('ab')).toMatchObject([
      { detail: 'SEARCH found USING INDEX api_key_sha256 (sha256=?)' },
      { detail: 'SEARCH successor USING INDEX api_key_replaces (replaces=?) LEFT-JOIN' },
    ])
  })
})
