import type { MikroORM } from '@mikro-orm/sqlite'
import { PetRecord } from '@pet-store/persistence-mikro-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteDatabase } from './database/database.ts'
import { runMigrations } from './migrations.ts'
import { createSqliteOrm } from './orm.ts'

const EDGES = [0n, 1n, -1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)]

describe('MikroORM on SQLite', () => {
  let orm: MikroORM

  beforeEach(async () => {
    const database = await openSqliteDatabase(':memory:')
    orm = createSqliteOrm(database)
    await runMigrations(database)
  })
  afterEach(() => orm.close())

  it.each(EDGES)('writes and reads %s without rounding', async (edge) => {
    const writing = orm.em.fork()
    writing.create(PetRecord, { id: edge, name: 'Rex', categoryId: edge, status: 'sold' })
    await writing.flush()

    // As text, so that nothing between the file and this test can round.
    const asText = 'select cast(id as text) as id, cast(category_id as text) as category from pet'
    expect(await orm.em.fork().execute(asText)).toEqual([{ id: `${edge}`, category: `${edge}` }])
    expect(await orm.em.fork().find(PetRecord, { id: edge })).toMatchObject([{ id: edge, categoryId: edge }])
    expect(await orm.em.fork().find(PetRecord, { categoryId: edge })).toMatchObject([{ id: edge, categoryId: edge }])
  })

  it('tells neighbouring ids beyond 2^53 apart', async () => {
    await orm.em.fork().insertMany(PetRecord, [
      { id: 2n ** 53n, name: 'even', categoryId: 1n },
      { id: 2n ** 53n + 1n, name: 'odd', categoryId: 2n },
    ])
    expect(await orm.em.fork().findOneOrFail(PetRecord, { id: 2n ** 53n + 1n })).toMatchObject({ name: 'odd' })
    expect(await orm.em.fork().findOneOrFail(PetRecord, { id: 2n ** 53n })).toMatchObject({ name: 'even' })
  })

  it('returns a number where it is exact and a bigint beyond', async () => {
    const [row] = await orm.em
      .fork()
      .execute<Record<string, unknown>[]>(
        'select 1 as small, 9007199254740991 as last, 9007199254740992 as beyond, -9007199254740992 as below',
      )
    expect(row).toEqual({ small: 1, last: 2 ** 53 - 1, beyond: 2n ** 53n, below: -(2n ** 53n) })
  })

  it('counts as a number', async () => {
    await orm.em.fork().insert(PetRecord, { name: 'Rex', categoryId: 1n })
    expect(await orm.em.fork().count(PetRecord)).toBe(1)
    expect(await orm.em.fork().count(PetRecord, { id: 2n ** 63n - 1n })).toBe(0)
  })

  it('streams without rounding', async () => {
    await orm.em.fork().insert(PetRecord, { name: 'Rex', categoryId: 2n ** 63n - 1n })
    const categories: bigint[] = []
    for await (const pet of orm.em.fork().stream(PetRecord)) categories.push(pet.categoryId)
    expect(categories).toEqual([2n ** 63n - 1n])
  })
})
