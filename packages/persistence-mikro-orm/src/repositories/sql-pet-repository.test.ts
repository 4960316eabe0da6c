import { INT64, validateNewPet } from '@pet-store/domain'
import { beforeEach, describe, expect, it } from 'vitest'
import type { PetStatements } from '../statements/pet-statements.ts'
import type { SqlValue, Statement, StatementRunner } from '../statements/statement-runner.ts'
import { SqlPetRepository } from './sql-pet-repository.ts'

const REX = [7n, 'Rex', 2n, null]

const named = (name: string) => ({ name, sql: '', isPositional: true }) as const
const STATEMENTS: PetStatements = {
  add: named('add'),
  addWithKey: named('addWithKey'),
  findKey: named('findKey'),
  deleteKey: named('deleteKey'),
  deleteOldKeys: named('deleteOldKeys'),
  find: named('find'),
  list: named('list'),
  listAfter: named('listAfter'),
  listWithStatus: named('listWithStatus'),
  listWithStatusAfter: named('listWithStatusAfter'),
}

describe('The repository runs', () => {
  let ran: [statement: string, ...values: SqlValue[]][]
  let pets: SqlPetRepository
  const failing = new Set<string>()

  beforeEach(() => {
    ran = []
    failing.clear()
    // The rows are of the one type that every pet statement gives; the runner is generic and cannot know it.
    const run = <Row>(statement: Statement<readonly SqlValue[], Row>, values: readonly SqlValue[]): Row => {
      ran.push([statement.name, ...values])
      if (failing.has(statement.name)) throw new Error('The connection was lost.')
      return REX as Row
    }
    const runner: StatementRunner = {
      readOne: (statement, map) => async (values) => map(run(statement, values)),
      readAll: (statement, map) => async (values) => [map(run(statement, values))],
      tryWrite: (statement) => async (values) => run(statement, values),
      write: (statement) => async (values) => run(statement, values),
    }
    pets = new SqlPetRepository(STATEMENTS, runner)
  })

  it('the statement that fits each list', async () => {
    await pets.list({ limit: 5 })
    await pets.list({ limit: 5, after: 3n })
    await pets.list({ limit: 5, status: 'sold' })
    await pets.list({ limit: 5, status: 'sold', after: 3n })
    expect(ran).toEqual([
      ['list', 5],
      ['listAfter', 3n, 5],
      ['listWithStatus', 'sold', 5],
      ['listWithStatusAfter', 'sold', 3n, 5],
    ])
  })

  it('a statement for a pet by its id, at the edges of int64 too', async () => {
    expect(await pets.find(INT64.min)).toStrictEqual({ id: 7n, name: 'Rex', categoryId: 2n })
    await pets.find(INT64.max)
    expect(ran).toEqual([
      ['find', INT64.min],
      ['find', INT64.max],
    ])
  })

  it('no statement for a pet beyond int64', async () => {
    expect(await pets.find(INT64.max + 1n)).toBeUndefined()
    expect(await pets.find(INT64.min - 1n)).toBeUndefined()
    expect(ran).toEqual([])
  })

  it('no statement for a list after a position beyond int64', async () => {
    expect(await pets.list({ limit: 5, after: INT64.max + 1n })).toEqual([])
    expect(await pets.list({ limit: 5, after: INT64.max + 1n, status: 'sold' })).toEqual([])
    expect(ran).toEqual([])
  })

  it('a list from the beginning for a position below int64', async () => {
    await pets.list({ limit: 5, after: INT64.min - 1n })
    await pets.list({ limit: 5, after: INT64.min - 1n, status: 'sold' })
    await pets.list({ limit: 5, after: INT64.min })
    expect(ran).toEqual([
      ['list', 5],
      ['listWithStatus', 'sold', 5],
      ['listAfter', INT64.min, 5],
    ])
  })

  it('an add, and returns the pet with the new id', async () => {
    const pet = validateNewPet({ name: 'Mia', categoryId: 3n, status: 'sold' })
    expect(await pets.add(pet)).toStrictEqual({ id: 7n, name: 'Mia', categoryId: 3n, status: 'sold' })
    expect(ran).toEqual([['add', 'Mia', 3n, 'sold']])
  })

  it('an add with a key, and deletes some old keys', async () => {
    const at = new Date('2027-01-02T00:00:00Z')
    const pet = validateNewPet({ name: 'Mia', categoryId: 3n, status: 'sold' })
    const added = await pets.addWithKey(pet, { owner: 'shop', key: 'k', fingerprint: 'f', at })
    expect(added).toStrictEqual({
      pet: { id: 7n, name: 'Mia', categoryId: 3n, status: 'sold' },
      isReplay: false,
    })
    expect(ran).toEqual([
      ['addWithKey', 'f', BigInt(at.getTime()), 'shop', 'k', 'Mia', 3n, 'sold'],
      ['deleteOldKeys', BigInt(Date.parse('2027-01-01T00:00:00Z')), 10],
    ])
  })

  it('an add with a key even when old keys cannot be deleted', async () => {
    failing.add('deleteOldKeys')
    const pet = validateNewPet({ name: 'Mia', categoryId: 3n })
    const key = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date() }
    expect((await pets.addWithKey(pet, key)).pet).toStrictEqual({ id: 7n, name: 'Mia', categoryId: 3n })
    expect(ran.map(([statement]) => statement)).toEqual(['addWithKey', 'deleteOldKeys'])
  })

  it('an add without a status, which stays absent', async () => {
    expect(await pets.add(validateNewPet({ name: 'Mia', categoryId: 3n }))).toStrictEqual({
      id: 7n,
      name: 'Mia',
      categoryId: 3n,
    })
    expect(ran).toEqual([['add', 'Mia', 3n, null]])
  })
})
