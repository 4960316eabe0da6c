import {
  NEW_PET_COLUMNS,
  type NewPetColumns,
  type PetWriter,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { openSqliteDatabase } from '../database/database.ts'
import { migrateIfAllowed } from '../migrations.ts'
import { createSqliteOrm } from '../orm.ts'
import { createGroupedWrites } from './grouped-writes.ts'
import { createSqlitePetWriter } from './pet-writer.ts'

let database: Database
let writer: PetWriter

beforeEach(async () => {
  database = await openSqliteDatabase(':memory:')
  onTestFinished(() => void database.close())
  const options = { url: 'sqlite::memory:', mode: 'migrate' } as const
  await migrateIfAllowed(database, createSqliteOrm(database), options, { mayBeNewer: false })
  writer = createSqlitePetWriter(database, createGroupedWrites(database))
})

// Every further field is optional.
const absent = NEW_PET_COLUMNS.split(', ')
  .slice(2)
  .map(() => null)
const REX = ['Rex', 1n, ...absent] as unknown as NewPetColumns
/** The result of a pet that a rule of the operator rejects. */
const REJECTED = {
  status: 'rejected',
  reason: { code: 'persistence_unavailable', outcome: 'not_stored' },
}
const addWithKey = (key: string) => writer.addWithKey(['shop', key, 'f', 5n], REX)
const stored = (table: string) => database.prepare(`select count(*) from ${table}`).pluck().get()

it('an idempotency key that is used twice in a group stores one pet', async () => {
  expect(await Promise.all([addWithKey('a'), addWithKey('a'), addWithKey('b')])).toEqual([
    1n,
    undefined,
    2n,
  ])
  expect([stored('pet'), stored('idempotency_key')]).toEqual([2, 2])
})

it('no pet of a group is stored when the idempotency key of one cannot be', async () => {
  database.exec(`
    create trigger reject before insert on idempotency_key when new.key = 'b'
    begin select raise(abort, 'rejected'); end`)
  const group = [writer.add(REX), addWithKey('a'), addWithKey('b'), writer.add(REX)]
  const results = await Promise.allSettled(group)
  expect(results).toMatchObject(Array(4).fill(REJECTED))
  expect([stored('pet'), stored('idempotency_key')]).toEqual([0, 0])
  expect(await addWithKey('c')).toBe(1n)
})

it.each([
  ['a check', 'alter table pet add column shop text check (category_id <> 2)'],
  ['a trigger that aborts', ruleFor("select raise(abort, 'no')")],
  ['a trigger that fails', ruleFor("select raise(fail, 'no')")],
  ['a trigger that leaves it out', ruleFor('select raise(ignore)')],
])('a pet that violates %s is not stored, alone in its group', async (_, rule) => {
  database.exec(rule)
  const bad = ['Mia', 2n, ...absent] as unknown as NewPetColumns
  const adding = [writer.add(REX), writer.add(bad), writer.addWithKey(['shop', 'a', 'f', 5n], bad)]
  const added = { status: 'fulfilled' }
  expect(await Promise.allSettled([...adding, addWithKey('b')])).toMatchObject([
    added,
    REJECTED,
    REJECTED,
    added,
  ])
  expect([stored('pet'), stored('idempotency_key')]).toEqual([2, 1])
})

it('no pet of a group is stored when a trigger rolls back for one of them', async () => {
  database.exec(ruleFor("select raise(rollback, 'no')"))
  const bad = ['Mia', 2n, ...absent] as unknown as NewPetColumns
  const results = await Promise.allSettled([writer.add(REX), writer.add(bad)])
  expect(results).toMatchObject([REJECTED, REJECTED])
  expect(stored('pet')).toBe(0)
})

/** A trigger for pets of the category 2. */
function ruleFor(action: string): string {
  return `create trigger rule before insert on pet when new.category_id = 2 begin ${action}; end`
}
