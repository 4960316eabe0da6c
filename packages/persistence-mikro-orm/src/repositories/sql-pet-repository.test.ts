import { INT64, validateNewPet } from '@pet-store/domain'
import { beforeEach, describe, expect, it } from 'vitest'
import { fieldsOf, type SqlValue } from '../entities/codec.ts'
import { PET_CODEC } from '../entities/records.ts'
import type { PetStatements } from '../statements/pet-statements.ts'
import type { Statement, StatementRunner } from '../statements/statement-runner.ts'
import { type PetWriter, SqlPetRepository } from './sql-pet-repository.ts'

const NAMES = ['find', 'list', 'listAfter', 'listWithStatus', 'listWithStatusAfter'] as const
const KEY_NAMES = ['findKey', 'deleteKey', 'findExpiredKeys', 'deleteExpiredKeys'] as const
const STATEMENTS = Object.fromEntries(
  [...NAMES, ...KEY_NAMES].map((name) => [name, { name, sql: '' }]),
) as unknown as PetStatements

const REX = { id: 7n, name: 'Rex', categoryId: 2n }
const NEW = validateNewPet({ name: 'Rex', categoryId: 2n })
const KEY = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date('2027-01-02T00:00:00Z') }

/** Rex as a row. */
const ROW: readonly SqlValue[] = fieldsOf(PET_CODEC).map((field) => Reflect.get(REX, field) ?? null)

let ran: (readonly SqlValue[])[]
/** The row of each statement. */
let rows: Partial<Record<keyof PetStatements, readonly SqlValue[] | undefined>>
let newIds: (bigint | undefined)[]

beforeEach(() => {
  ran = []
  rows = { find: ROW }
  newIds = []
})

function repository(isDeleted = async () => true): SqlPetRepository {
  const run = async <Row>({ name }: Statement<never, never>, values: readonly SqlValue[]) => {
    ran.push([name, ...values])
    return rows[name as keyof PetStatements] as Row | undefined
  }
  const runner: StatementRunner = {
    readOne: (statement, map) => async (values) => {
      const row = await run<Parameters<typeof map>[0]>(statement as never, values)
      return row === undefined ? undefined : map(row)
    },
    readAll: (statement) => async (values) => {
      await run(statement as never, values)
      return []
    },
    writeOptional: (statement) => (values) => run(statement as never, values),
  }
  const writer: PetWriter = {
    add: async () => 7n,
    addWithKey: async () => newIds.shift(),
    isDeleted,
  }
  return new SqlPetRepository(STATEMENTS, runner, writer)
}

describe('The repository of pets', () => {
  it.each([
    [{ limit: 5 }, ['list', 5]],
    [{ limit: 5, after: 3n }, ['listAfter', 3n, 5]],
    [{ limit: 5, status: 'sold' }, ['listWithStatus', 'sold', 5]],
    [{ limit: 5, status: 'sold', after: 3n }, ['listWithStatusAfter', 'sold', 3n, 5]],
    [{ limit: 5, after: INT64.min - 1n }, ['list', 5]],
    [{ limit: 5, after: INT64.min }, ['listAfter', INT64.min, 5]],
    [{ limit: 5, after: INT64.max + 1n }, undefined],
  ] as const)('lists %o by the statement that fits', async (query, statement) => {
    await repository().list(query)
    expect(ran).toEqual(statement === undefined ? [] : [statement])
  })

  it('finds a pet at the edges of int64, and asks for none beyond', async () => {
    const pets = repository()
    expect(await pets.find(INT64.max)).toStrictEqual(REX)
    expect([await pets.find(INT64.max + 1n), await pets.find(INT64.min - 1n)]).toEqual([
      undefined,
      undefined,
    ])
    expect(ran).toEqual([['find', INT64.max]])
  })

  it('replays a key whose pet was not visible at first, and deletes no key', async () => {
    rows.findKey = ['f', BigInt(KEY.at.getTime()), 7n]
    rows.find = undefined
    const isDeleted = async () => {
      rows.find = ROW
      return false
    }
    expect(await repository(isDeleted).addWithKey(NEW, KEY)).toStrictEqual({
      pet: REX,
      isReplay: true,
    })
    expect(ran.map(([name]) => name)).not.toContain('deleteKey')
  })

  it('gives up when the key is always taken and never found', async () => {
    await expect(repository().addWithKey(NEW, KEY)).rejects.toMatchObject({ outcome: 'not_stored' })
  })
})
