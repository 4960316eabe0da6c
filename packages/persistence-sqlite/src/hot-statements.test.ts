import {
  compileFindApiKeyByHash,
  compilePetStatements,
  type FindApiKeyByHash,
  type PetStatements,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteDatabase } from './database.ts'
import { runMigrations } from './migrations.ts'
import { createSqliteOrm } from './orm.ts'

const WALK_IN_ORDER_OF_IDS = ['SCAN pet']
const FROM_AN_ID_ON = ['SEARCH pet USING INTEGER PRIMARY KEY (rowid>?)']

describe('SQLite query plan', () => {
  let database: Database
  let statements: PetStatements
  let findByHash: FindApiKeyByHash
  let close: () => Promise<void>

  beforeAll(async () => {
    database = await openSqliteDatabase(':memory:')
    const orm = createSqliteOrm(database)
    await runMigrations(orm, database)
    statements = compilePetStatements(orm.em)
    findByHash = compileFindApiKeyByHash(orm.em)
    close = () => orm.close()
  })
  afterAll(() => close())

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
    const explained = database.prepare(`explain query plan ${statements[name].sql}`).all(...values)
    expect(explained).toMatchObject(plan.map((detail) => ({ detail })))
    expect(explained).toHaveLength(plan.length)
  })

  it('of the API key look-up uses two unique indexes', () => {
    const { sql } = findByHash
    expect(database.prepare(`explain query plan ${sql}`).all('ab')).toMatchObject([
      { detail: 'SEARCH found USING INDEX api_key_sha256 (sha256=?)' },
      { detail: 'SEARCH successor USING INDEX api_key_replaces (replaces=?) LEFT-JOIN' },
    ])
  })
})
